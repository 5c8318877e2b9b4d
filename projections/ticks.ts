/**
 * The table of the ticks of all stages. A tick has the newest complete block, the price of the coin, and the
 * time at which the service knew both.
 */

import type { Tick } from '../schemas/tick.ts'
import { dayMs } from '../schemas/units.ts'
import { float64, int64, label, nullable, type RowContext, text } from './columns.ts'
import { type RowOf, rowOf, type Selected } from './select.ts'
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

const names = Object.keys(ticks.columns)

/** Returns the row of a tick as one text, which `tickOfText` reads. */
export function textOfTick(tick: Tick, topic: RowContext['topic']): string {
  const values = ticks.valuesOf(tick, { topic, logKey: '', supersedesAtMs: null })
  return JSON.stringify(Object.fromEntries(names.map((name, index) => [name, values[index]])))
}

/** Returns null if the text is empty, or if the version of the program that wrote it had other columns. */
export function tickOfText(text: string): TickRow | null {
  const values: Selected = text === '' ? {} : JSON.parse(text)
  return names.every((name) => name in values) ? rowOf(ticks, null, values) : null
}
