import type { RecordViews } from '../../infra/codec/schema-codec.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'
import type { StageProcessor } from '../processor.ts'

/** A stage with everything that a program needs to run it. */
export type RunnableStage<Types extends StageTypes> = Readonly<{
  stage: Stage<Types>
  /** The processors in flow order. */
  processors: readonly StageProcessor<Types>[]
  /**
   * The view classes, by record type. A view reads single fields of a fact directly from the encoded bytes.
   * Frequent fact types have a view, because decoding all their fields would take too long.
   */
  views: RecordViews
  /** The deepest supported reorg of the chain, in blocks. Default `reorgBlocksMaxDefault`. */
  reorgBlocksMax?: number
}>
