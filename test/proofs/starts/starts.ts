/**
 * `npm run starts` tests 20 first starts at random times of a simulated day. `npm run starts -- 5` tests
 * five, and `npm run starts -- 5 7` begins with seed 7. The repeat buyers of every sold burst must be those
 * of all earlier bursts, or not shown yet. If they are not, the exit code is 1.
 */
import { createRandom } from '../../support/chain-a-node/random.ts'
import { proveFirstStart } from './prove-first-start.ts'
import type { FirstStart } from './run-first-start.ts'

const [countAsked = '20', firstSeed = '1'] = process.argv.slice(2)
const [count, first] = [Number(countAsked), Number(firstSeed)]
if (!(Number.isInteger(count) && count > 0 && Number.isInteger(first)))
  throw new TypeError('npm run starts -- how many starts, from which seed on')

const minuteMs = 60_000
const dayMs = Date.UTC(2026, 8, 1)

function planOf(seed: number): FirstStart {
  // The factor spreads the seeds, because similar seeds would give similar start times.
  const random = createRandom((seed * 2_654_435_761) % 2 ** 31)
  return {
    ...{ seed, startMs: dayMs + Math.floor(random() * 24 * 3600) * 1000 },
    ...{ lookBackMs: Math.floor(60 + random() * 40) * minuteMs, liveMs: 5 * minuteMs },
    ...{ answersMost: [1, 3, 12][seed % 3] ?? 1, rangesMost: [20, 100, 600][Math.floor(seed / 3) % 3] ?? 20 },
  }
}

const print = (text: string) => void process.stdout.write(`${text}\n`)
let [faulty, repeating, waiting, faults] = [0, 0, 0, 0]
const answers = new Map<string, number>()
for (let seed = first; seed < first + count; seed++) {
  const plan = planOf(seed)
  const beganMs = performance.now()
  const held = await proveFirstStart(plan)
  print(
    `seed ${seed}: start ${new Date(plan.startMs).toISOString().slice(11, 19)}, ${held.shown} shown, ${held.repeating} with repeat buyers, ` +
      `${held.waiting} not told yet, ${held.faults.length} faults; ${Math.round((performance.now() - beganMs) / 1000)} s`,
  )
  for (const fault of held.faults.slice(0, 3)) print(`  ${fault}`)
  for (const [name, sold] of held.answers) answers.set(name, (answers.get(name) ?? 0) + sold)
  if (held.faults.length > 0) faulty++
  repeating += held.repeating
  waiting += held.waiting
  faults += held.faults.length
}
print([...answers].map(([name, sold]) => `${name} ${sold}`).join(', '))
print(
  `${count} starts: ${faulty} with faults, ${faults} faults, ${repeating} rows with repeat buyers, ${waiting} not told yet`,
)
process.exitCode = faults === 0 && repeating > 0 && waiting > 0 ? 0 : 1
