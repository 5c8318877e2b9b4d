/**
 * `npm run resumes -- [kills] [starts] [seed]` proves that a client of the stream that is killed and continues loses
 * nothing. By default, it kills 200 times and starts 500 times. Two worker processes write the four partitions of a
 * derived topic with generated rows and corrections, and the API serves the stream in a third process. One worker is
 * stopped with SIGSTOP for up to two seconds, again and again. Each client begins up to 24 hours in the past. The
 * client that is killed must have exactly the events of one that never stopped, in the order of each token. Then
 * clients start at random cursors, and must get the events after them. It prints how often each case occurred. The
 * exit code is 1 if an event was wrong, or if a case did not occur.
 */
import { proveResumes } from './prove.ts'

const [kills = 200, starts = 500, seed = 1] = process.argv.slice(2).map(Number)
if (![kills, starts, seed].every((each) => Number.isInteger(each) && each > 0))
  throw new TypeError('npm run resumes -- [kills] [starts] [seed], each a whole number above 0')
const print = (text: string) => void process.stdout.write(`${text}\n`)
const beganMs = performance.now()
const { faults, events, cases } = await proveResumes({ kills, starts, seed, onProgress: print })
for (const [name, count] of Object.entries(cases)) print(`${String(count).padStart(6)}  ${name}`)
for (const fault of faults.slice(0, 20)) print(fault)
const seconds = Math.round((performance.now() - beganMs) / 1000)
print(`${kills} kills, ${starts} starts, ${events} events, seed ${seed}, ${seconds} s: ${faults.length} faults`)
process.exitCode = faults.length === 0 && Object.values(cases).every((count) => count > 0) ? 0 : 1
