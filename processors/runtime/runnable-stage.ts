import type { RecordViews } from '../../infra/codec/schema-codec.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'
import type { StageProcessor } from '../processor.ts'

/** A stage as a program runs it. */
export type RunnableStage<Types extends StageTypes> = Readonly<{
  stage: Stage<Types>
  /** In flow order. */
  processors: readonly StageProcessor<Types>[]
  /** What the stage reads in place, by record name: those facts are too many to be made field by field. */
  views: RecordViews
}>
