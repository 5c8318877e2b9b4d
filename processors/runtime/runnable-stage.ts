import type { RecordViews } from '../../infra/codec/schema-codec.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'
import type { StageProcessor } from '../processor.ts'

/** A stage as a program runs it. */
export type RunnableStage<Types extends StageTypes> = Readonly<{
  stage: Stage<Types>
  /** In flow order. */
  processors: readonly StageProcessor<Types>[]
  /** Classes that read frequent facts in place, by record name. Decoding every field of those would cost too much. */
  views: RecordViews
  /** The deepest reorg of its chain, in blocks. Default `reorgBlocksMaxDefault`. */
  reorgBlocksMax?: number
}>
