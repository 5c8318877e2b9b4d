/**
 * The table of the ticks of all stages. A tick has the newest complete block, the price of the coin, and the
 * time at which the service knew both.
 */

import type { Tick } from '../schemas/tick.ts'
import { dayMs } from '../schemas/units.ts'
import { float64, int64, label, nullable, type RowContext, text } from './columns.ts'
import { type RowOf, rowOf } from './select.ts'
import { table } from './table.ts'

export const ticks = table<Tick>()({
  name: 'ticks',
  order: ['topic', 'known_at_ms', 'tick_seq'],
  partition: { column: 'known_at_ms', everyMs: dayMs },
  columns: {
    topic: label((_, { topic }) => topic),
    block_number: int64(({ blockNumber }) => blockNumber),
    block_hash: text(({ blockHash }) => blockHash),
    block_at_ms: int64(({ blockAtMs }) => blockAtMs),
    eth_usd: nullable(float64)(({ ethUsd }) => ethUsd),
    eth_usd_at_ms: nullable(int64)(({ ethUsdAtMs }) => ethUsdAtMs),
    rules_version: label(({ rulesVersion }) => rulesVersion),
    source: label(({ source }) => source),
  },
})

export type TickRow = RowOf<typeof ticks>

/** Returns the row of a tick as one text, which `tickOfText` reads. */
export const textOfTick = (tick: Tick, topic: RowContext['topic']): string =>
  JSON.stringify(ticks.valuesOf(tick, { topic, logKey: '', supersedesAtMs: null }))

export function tickOfText(text: string): TickRow {
  const values = JSON.parse(text) as readonly unknown[]
  const named = Object.keys(ticks.columns).map((name, index) => [name, values[index]] as const)
  return rowOf(ticks, null, Object.fromEntries(named))
}
