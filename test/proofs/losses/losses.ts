/**
 * `npm run losses -- 6 1` simulates six hours of chain B from seed 1. One run has all trades. In further
 * runs, 0.5, 2 and 5 % of the curve transactions are lost and never repaired. Every sold burst, graduation
 * and followed buy must equal that of the run without losses, or have the flag for missing trades. A flag
 * without a lost trade is an error. The exit code is 1 if a row is wrong, or if a kind of flag did not occur.
 */
import { prove } from './prove.ts'

const [hoursAsked = '6', seedAsked = '1'] = process.argv.slice(2)
const [hours, seed] = [Number(hoursAsked), Number(seedAsked)]
if (!(Number.isInteger(hours) && hours > 2 && Number.isInteger(seed)))
  throw new TypeError('npm run losses -- how many hours, at least three, of which seed')

/**
 * The kinds of flagged rows. Each kind must occur in at least one run. The 15 minutes after a graduation are
 * not in this list, because the curve then has no trades to lose.
 */
const waysToBeFlagged = [
  ...['burst: differs, flagged', 'burst: equal, flagged', 'burst: only with losses, flagged'],
  ...['burst: flagged by its window', 'burst: flagged by its outcome'],
  ...['graduation: differs, flagged', 'graduation: equal, flagged'],
  ...['graduation: flagged by its path', 'graduation: flagged by its burst'],
  ...['copy: differs, flagged', 'copy: equal, flagged'],
  ...['copy: flagged by its hour', 'copy: flagged by its holding', 'copy: flagged by its completion'],
]

const startedAtMs = performance.now()
const print = (text: string) =>
  void process.stdout.write(`${String(Math.round((performance.now() - startedAtMs) / 1000)).padStart(4)} s  ${text}\n`)

const { rows, flaggedOfWhole, ofShares } = await prove({
  hours,
  seed,
  oneInEach: [200, 50, 20],
  walletsMost: 400,
  print,
})
print(`${rows} rows of the whole market, ${flaggedOfWhole.length} of them flagged`)
for (const { oneIn, lost, untold, counts, faults } of ofShares) {
  print(`${100 / oneIn} %: ${lost} trades lost, ${untold} of them told by nothing; ${faults.length} faults`)
  for (const [name, count] of [...counts].sort()) print(`  ${name} ${count}`)
  for (const fault of faults.slice(0, 20)) print(`  ${fault}`)
}
const taken = new Set(ofShares.flatMap(({ counts }) => [...counts.keys()]))
const notTaken = waysToBeFlagged.filter((way) => !taken.has(way))
if (notTaken.length > 0) print(`never happened: ${notTaken.join('; ')}`)
const faultCount = ofShares.reduce((sum, { faults }) => sum + faults.length, flaggedOfWhole.length)
process.exitCode = faultCount + notTaken.length > 0 ? 1 : 0
