import type { RecordViews } from '../../infra/codec/schema-codec.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'
import type { StageProcessor } from '../processor.ts'

/** A stage with everything that a program needs to run it. */
export type RunnableStage<Types extends StageTypes> = Readonly<{
  stage: Stage<Types>
  /** In flow order. */
  processors: readonly StageProcessor<Types>[]
  /** Classes that read frequent facts in place, by record name, because decoding every field of those costs too much. */
  views: RecordViews
  /** The deepest reorg of its chain, in blocks. Default `reorgBlocksMaxDefault`. */
  reorgBlocksMax?: number
}>
