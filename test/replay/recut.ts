/** One log cut again: the same facts under fewer ticks. Derived records must not notice. */
import { isTick, type StageTypes } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { KeyedRecord } from './keyed-record.ts'

/** True where a tick is the last before its grid changes: `next` is null at the end of the log, which always closes. */
export type Cut = (tick: Tick, next: Tick | null) => boolean

export const perBlock: Cut = (tick, next) => next === null || next.blockNumber > tick.blockNumber

/** Ticks on a grid of block time: per second 1000, per hour 3,600,000. */
export const everyMs =
  (gridMs: number): Cut =>
  (tick, next) =>
    next === null || Math.floor(next.blockAtMs / gridMs) > Math.floor(tick.blockAtMs / gridMs)

/** Leaves out the ticks that the cut does not keep, so their records fall to the next one, and counts the rest anew from 1. */
export function recut<Types extends StageTypes>(
  records: readonly KeyedRecord<Types>[],
  keeps: Cut,
): KeyedRecord<Types>[] {
  const ticks = records.flatMap(({ record }) => (isTick(record) ? [record.data] : []))
  const cut: KeyedRecord<Types>[] = []
  let at = 0
  let seq = 0
  for (const { key, record } of records) {
    if (!isTick(record)) cut.push({ key, record })
    else if (keeps(record.data, ticks[++at] ?? null))
      cut.push({ key, record: { type: 'Tick', data: { ...record.data, seq: ++seq } } })
  }
  return cut
}
