/**
 * A reorg can replace a burst by a burst at another time. This file computes for each remaining burst which
 * one it replaced, from the chain before and after each reorg.
 */
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA } from '../../processors/stages.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { drive, livingOf } from '../replay/canonical-log.ts'
import type { KeyedRecord } from '../replay/keyed-record.ts'

type Records = readonly KeyedRecord<ChainATypes>[]

/** Returns sorted lines `pool tier time < time`. The second time is that of the replaced burst, or `none`. */
export function supersededBy(records: Records): string[] {
  const superseded = new Map<string, number>()
  for (const [index, { record }] of records.entries())
    if (record.type === 'Tick' && record.data.revertedFrom !== null)
      move(superseded, burstsOf(records.slice(0, index)), burstsOf(records.slice(0, index + 1)))
  return [...burstsOf(records)]
    .flatMap(([name, instants]) => instants.map((atMs) => `${name} ${atMs}`))
    .map((burst) => `${burst} < ${superseded.get(burst) ?? 'none'}`)
    .sort()
}

type Bursts = ReadonlyMap<string, readonly number[]>

/**
 * For each pool and tier, the first new burst supersedes the first removed burst, the next new burst the next
 * removed burst, and so on.
 */
function move(superseded: Map<string, number>, before: Bursts, after: Bursts): void {
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name) ?? [], after.get(name) ?? []]
    const gone = old.filter((atMs) => !now.includes(atMs))
    const born = now.filter((atMs) => !old.includes(atMs))
    for (const atMs of gone) superseded.delete(`${name} ${atMs}`)
    for (const [index, atMs] of born.entries()) {
      const former = gone[index]
      if (former !== undefined) superseded.set(`${name} ${atMs}`, former)
    }
  }
}

/** The instants of the bursts after these records, sorted, by pool and tier. */
function burstsOf(records: Records): Bursts {
  const found = new Map<string, Set<number>>()
  for (const { record } of drive(chainA.stage, createTestDriver(chainA), livingOf(chainA.stage, records))) {
    if (record.type !== 'Burst') continue
    const { pool, tier, atMs } = record.data
    const name = `${pool} ${tier}`
    found.set(name, (found.get(name) ?? new Set()).add(atMs))
  }
  return new Map([...found].map(([name, instants]) => [name, [...instants].sort((one, other) => one - other)]))
}
