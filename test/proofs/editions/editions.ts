/**
 * `npm run editions` tests 20 first starts of the service, at random times of a simulated day and on whole
 * hours. `-- 50` tests 50 starts, and `-- 20 7` begins at seed 7. Each start has outages of 5 minutes to 5
 * hours, of one source or of all. Every sold hourly list must be complete up to its hour. The exit code is 1
 * if a list is incomplete, or if no list would have been incomplete under the earlier rule, which did not
 * wait for late data.
 */
import { createRandom } from '../../support/chain-a-node/random.ts'
import { proveStart } from './prove-start.ts'
import type { Outage, SourceName, StartPlan } from './run-start.ts'

const [countAsked = '20', firstSeed = '1'] = process.argv.slice(2)
const [count, first] = [Number(countAsked), Number(firstSeed)]
if (!(Number.isInteger(count) && count > 0 && Number.isInteger(first)))
  throw new TypeError('npm run editions -- how many starts, from which seed on')

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = Date.UTC(2026, 8, 1)
const all: readonly SourceName[] = ['chain-a', 'chain-b', 'chats']

function planOf(seed: number): StartPlan {
  // The factor spreads the seeds, because similar seeds would give similar instants.
  const random = createRandom((seed * 2_654_435_761) % 2 ** 31)
  const between = (least: number, most: number) => least + random() * (most - least)
  const startMs = dayMs + Math.floor(between(4, 28) * 3600) * 1000
  // Every third start is within a second of a whole hour.
  const onHourMs = Math.round(startMs / hourMs) * hourMs + Math.floor(between(-1, 2)) * 1000
  const sources = seed % 5 === 0 ? all.filter((name) => name !== 'chain-a') : all
  const outages: Outage[] = []
  let atMs = seed % 3 === 0 ? onHourMs : startMs
  const rangesMost = [2, 8, 40][seed % 3] ?? 2
  const plan = { seed, startMs: atMs, lookBackMs: between(1.5, 3.5) * hourMs, rangesMost, sources }
  for (let number = 0; number < 1 + (seed % 2); number++) {
    const fromMs = Math.floor(atMs + between(1, 40) * minuteMs)
    // Outages of up to half an hour are about as frequent as those of one to five hours.
    const toMs = Math.floor(fromMs + 5 * minuteMs * 60 ** random())
    const of = (['all', ...sources] as const)[Math.floor(random() * (sources.length + 1))] ?? 'all'
    outages.push({ of, fromMs, toMs })
    atMs = toMs
  }
  return { ...plan, outages, endMs: atMs + 70 * minuteMs }
}

const clock = (atMs: number) => new Date(atMs).toISOString().slice(11, 19)
const print = (text: string) => void process.stdout.write(`${text}\n`)
let [sold, faults, lacking] = [0, 0, 0]
for (let seed = first; seed < first + count; seed++) {
  const plan = planOf(seed)
  const told = plan.outages.map(({ of, fromMs, toMs }) => `${of} out ${clock(fromMs)} - ${clock(toMs)}`)
  const held = await proveStart(plan)
  print(
    `seed ${seed}: ${plan.sources.length} sources, start ${clock(plan.startMs)}, ${told.join(', ')}: ${held.sold} sold, ${held.refused} refused, ` +
      `${held.denied} denied, ${held.faults.length} faults; ${held.formerlyLacking} lists would have lacked calls`,
  )
  for (const fault of held.faults.slice(0, 5)) print(`  ${fault}`)
  sold += held.sold
  faults += held.faults.length
  lacking += held.formerlyLacking
}
print(`${count} starts: ${sold} sold, ${faults} faults; ${lacking} lists would have lacked calls`)
process.exitCode = faults === 0 && sold > 0 && lacking > 0 ? 0 : 1
