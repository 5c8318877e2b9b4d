/** One log cut again: the same facts under fewer ticks. Derived records must not notice. */
import type { ChainARecord } from '../../schemas/chain-a/facts.ts'
import type { Tick } from '../../schemas/tick.ts'

/** A record of one facts partition with its key. */
export type KeyedRecord = Readonly<{ key: string; record: ChainARecord }>

/** True where a tick is the last before its grid changes: `next` is null at the end of the log, which always closes. */
export type Cut = (tick: Tick, next: Tick | null) => boolean

export const perBlock: Cut = (tick, next) => next === null || next.blockNumber > tick.blockNumber

/** Ticks on a grid of block time: per second 1000, per hour 3,600,000. */
export const everyMs =
  (gridMs: number): Cut =>
  (tick, next) =>
    next === null || Math.floor(next.blockAtMs / gridMs) > Math.floor(tick.blockAtMs / gridMs)

/** Leaves out the ticks that the cut does not keep, so their records fall to the next one, and counts the rest anew from 1. */
export function recut(records: readonly KeyedRecord[], keeps: Cut): KeyedRecord[] {
  const ticks = records.flatMap(({ record }) => (record.type === 'Tick' ? [record.data] : []))
  const cut: KeyedRecord[] = []
  let at = 0
  let seq = 0
  for (const { key, record } of records) {
    if (record.type !== 'Tick') cut.push({ key, record })
    else if (keeps(record.data, ticks[++at] ?? null))
      cut.push({ key, record: { type: 'Tick', data: { ...record.data, seq: ++seq } } })
  }
  return cut
}
