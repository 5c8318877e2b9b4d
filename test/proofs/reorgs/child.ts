/**
 * Runs seeds of the reorg proof one after the other on the code of its folder, and prints a line for each
 * seed.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runUnderFaults } from '../../ingest/chain-a/run-under-faults.ts'
import { chainAPromises, chainBPromises, toyPromises } from '../../replay/reorgs/reorg-promises.ts'
import type { Machinery } from './sabotages.ts'

const checks: Readonly<Record<Machinery, (seed: number) => Promise<void>>> = {
  stage: async (seed) => {
    for (const { check } of [...toyPromises, ...chainAPromises, ...chainBPromises]) await check(seed)
  },
  ingest: async (seed) => {
    const { told, expected } = await runUnderFaults(seed)
    assert.deepEqual(told, expected)
  },
}

// If a seed fails, fast-check does not look for a smaller failing case. The search would take a hundred runs.
fc.configureGlobal({ endOnFailure: true })
const [machinery = '', ...seeds] = process.argv.slice(2)
for (const text of seeds) {
  const found = await checks[machinery as Machinery](Number(text)).then(
    () => 'holds',
    (error: unknown) => `differs ${String(error).split('\n').slice(0, 12).join(' | ')}`,
  )
  process.stdout.write(`${text} ${found}\n`)
}
process.stdout.write('done\n')
// A failed check can leave open work, which must not keep the process alive.
process.exit(0)
