/**
 * `npm run census -- [hours] [seed]` counts what happens to simulated tokens. It counts the tokens that begin
 * in these hours, and the tokens that chats call. By default, the hours are a day.
 */
import { censusOf } from '../../support/market-census.ts'

const [hours = 24, seed = 1] = process.argv.slice(2).map(Number)
const fromMs = Date.UTC(2026, 8, 1)
const { launches, called } = await censusOf({ seed, fromMs, toMs: fromMs + hours * 3_600_000, callsPerHour: 30 })
const print = (title: string, counts: ReadonlyMap<string, number>) => {
  process.stdout.write(`${title}\n`)
  for (const [name, count] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1)))
    process.stdout.write(`  ${String(count).padStart(6)}  ${name}\n`)
}
print(`begun in ${hours} h, seed ${seed}`, launches)
print('posts, and tokens at their first one', called)
