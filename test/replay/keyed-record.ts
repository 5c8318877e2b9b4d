import type { FactRecord } from '../../processors/runtime/stage-codecs.ts'
import { isTick, type Stage, type StageTypes } from '../../schemas/stage.ts'

/** A record of a facts partition with its key. */
export type KeyedRecord<Types extends StageTypes> = Readonly<{ key: string; record: FactRecord<Types> }>

/** True for a record that is neither a tick nor an answer. */
export const isFact = <Types extends StageTypes>(
  stage: Stage<Types>,
  record: FactRecord<NoInfer<Types>>,
): record is Types['fact'] => !isTick(record) && !stage.isAnswer(record)

/** Returns the `seq` of the last tick, because ticks are counted from 1. */
export const lastSeqOf = (records: readonly KeyedRecord<StageTypes>[]): number =>
  records.filter(({ record }) => isTick(record)).length
