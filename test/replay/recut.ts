/** Removes ticks from a log. The derived records must stay the same. */
import { isTick, type StageTypes } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { KeyedRecord } from './keyed-record.ts'

/**
 * Decides whether a tick stays in the log. `next` is the following tick, or null at the end of the log. The
 * last tick always stays.
 */
export type Cut = (tick: Tick, next: Tick | null) => boolean

export const perBlock: Cut = (tick, next) => next === null || next.blockNumber > tick.blockNumber

/**
 * Keeps one tick per `gridMs` of block time. A `gridMs` of 1000 keeps one tick per second, and 3,600,000
 * keeps one per hour.
 */
export const everyMs =
  (gridMs: number): Cut =>
  (tick, next) =>
    next === null || Math.floor(next.blockAtMs / gridMs) > Math.floor(tick.blockAtMs / gridMs)

/**
 * Removes the ticks that `keeps` rejects. Their records then belong to the next tick. The remaining ticks are
 * numbered from 1 again.
 */
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
