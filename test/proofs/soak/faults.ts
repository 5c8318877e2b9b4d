/**
 * `npm run faults -- 1000 [first seed] [push]` runs ingest on 1,000 simulated chains with reorgs, through
 * nodes that make errors. With `push`, the nodes also announce new blocks, and an announcement wakes ingest.
 * The exit code is 1 if the facts of a chain are wrong.
 */
import { runUnderFaults } from '../../ingest/chain-a/run-under-faults.ts'

const words = process.argv.slice(2)
const isPushed = words.includes('push')
const [count = 1000, firstSeed = 1] = words.filter((word) => word !== 'push').map(Number)
const totals: Record<string, number> = {}
const differing: number[] = []
let facts = 0
const startedAtMs = Date.now()

function differ(seed: number, error?: unknown): void {
  console.error(`seed ${seed} differs`, error ?? '')
  differing.push(seed)
}

for (let seed = firstSeed; seed < firstSeed + count; seed++) {
  try {
    const { told, expected, counts } = await runUnderFaults(seed, { isPushed })
    for (const [fault, fired] of Object.entries(counts)) totals[fault] = (totals[fault] ?? 0) + fired
    facts += expected.length
    if (JSON.stringify(told) !== JSON.stringify(expected)) differ(seed)
  } catch (error) {
    differ(seed, error)
  }
  if ((seed - firstSeed + 1) % 100 === 0) console.log(`${seed - firstSeed + 1} of ${count}`)
}
const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(0)
console.log(`${count} seeds from ${firstSeed} in ${seconds} s: ${facts} facts compared; what fired:`, totals)
console.log(differing.length === 0 ? 'every topic equals its chain' : `different: seeds ${differing.join(', ')}`)
process.exitCode = differing.length === 0 ? 0 : 1
