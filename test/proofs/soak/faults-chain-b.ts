/**
 * `npm run faults:chain-b -- 100 [first seed] [helius | plain]` runs ingest on 100 simulated chains B with reorgs, through a faulty Helius
 * and a faulty plain node. The exit code is 1 if the facts of a chain are wrong.
 */
import { type NodeKind, runUnderFaults } from '../../ingest/chain-b/follow/run-under-faults.ts'

const count = Number(process.argv[2] ?? 100)
const firstSeed = Number(process.argv[3] ?? 1)
const kinds = process.argv[4] === undefined ? (['helius', 'plain'] as const) : [process.argv[4] as NodeKind]
const totals: Record<string, number> = {}
const differing: string[] = []
let facts = 0
const startedAtMs = Date.now()

/** The facts that should not be there, and then the missing facts. */
function onlyIn(told: readonly string[] = [], expected: readonly string[] = []): readonly unknown[] {
  return [told.filter((text) => !expected.includes(text)), expected.filter((text) => !told.includes(text))]
}

for (const kind of kinds)
  for (let seed = firstSeed; seed < firstSeed + count; seed++)
    try {
      const { told, expected, counts } = await runUnderFaults(seed, kind)
      for (const [fault, fired] of Object.entries(counts)) totals[fault] = (totals[fault] ?? 0) + fired
      facts += [...expected.values()].flat().length
      const keys = [...new Set([...told.keys(), ...expected.keys()])]
      const wrong = keys.filter((key) => JSON.stringify(told.get(key)) !== JSON.stringify(expected.get(key)))
      if (wrong.length > 0) differing.push(`${kind} ${seed}`)
      for (const key of wrong) console.error(`seed ${seed}, ${key}:`, ...onlyIn(told.get(key), expected.get(key)))
    } catch (error) {
      console.error(`seed ${seed} of ${kind} failed`, error)
      differing.push(`${kind} ${seed}`)
    }

const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(0)
console.log(
  `${count} seeds from ${firstSeed} of ${kinds.join(' and ')} in ${seconds} s: ${facts} facts compared; what fired:`,
)
console.log(JSON.stringify(totals))
console.log(differing.length === 0 ? 'every topic equals its chain' : `different: ${differing.join(', ')}`)
process.exit(differing.length === 0 ? 0 : 1)
