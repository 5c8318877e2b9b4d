/** Compares the sold rows about a pool's liquidity with the expected rows, which come from the node's state. */
import assert from 'node:assert/strict'
import type { RhBurst } from '../../api/chain-a/resources/burst.ts'
import type { RugProfile } from '../../api/chain-a/resources/rug-profile.ts'
import type { OracleLp } from '../support/oracle/ownership.ts'
import type { OracleProfile } from '../support/oracle/profiles.ts'
import { isClose } from './close.ts'

const minuteMs = 60_000
const shares = ['insiderShare', 'burnedShare', 'contractShare', 'otherShare', 'unknownShare'] as const

const minutesFrom = (firstAddAtMs: number | null, atMs: number): number =>
  firstAddAtMs === null ? 0 : (atMs - firstAddAtMs) / minuteMs

export function assertLp({ lp, at, pool, tier }: RhBurst, expected: OracleLp | null): void {
  const where = `${pool}:${tier}:${at}`
  assert.equal(lp === null, expected === null, `lp of ${where}: ${JSON.stringify(lp)}`)
  if (lp === null || expected === null) return
  assert.equal(lp.class, expected.class, `class of ${where}`)
  assert.equal(lp.estimated, false)
  assertShares(lp, expected, where)
  const lpAgeMin = minutesFrom(expected.firstAddAtMs, at)
  assert(isClose(lp.lpAgeMin, lpAgeMin), `lpAgeMin of ${where}: ${lp.lpAgeMin}, expected ${lpAgeMin}`)
}

function assertShares(row: NonNullable<RhBurst['lp']> | RugProfile, expected: OracleLp, where: string): void {
  for (const share of shares)
    assert(isClose(row[share], expected[share]), `${share} of ${where}: ${row[share]}, expected ${expected[share]}`)
  const sum = shares.reduce((total, share) => total + row[share], 0)
  const isNothing = shares.every((share) => row[share] === 0)
  assert(isNothing || isClose(sum, 1), `shares of ${where} sum to ${sum}`)
}

const exactInProfile = ['token', 'class', 'lpAdds', 'creator'] as const

/**
 * Throws at the first difference. Both lists must have the same pools, in any order. The newest block of the
 * answer is between `least` and `most`.
 */
export function assertProfiles(
  rows: readonly RugProfile[],
  expected: readonly OracleProfile[],
  [least, most]: readonly [number, number],
): void {
  assert.deepEqual(rows.map(({ pool }) => pool).sort(), expected.map(({ pool }) => pool).sort(), 'other pools')
  for (const row of rows) {
    const profile = expected.find(({ pool }) => pool === row.pool)
    assert(profile !== undefined)
    for (const field of exactInProfile) assert.equal(row[field], profile[field], `${field} of ${row.pool}`)
    assert(row.block >= least && row.block <= most, `block of ${row.pool}: ${row.block}, expected ${least} to ${most}`)
    assert.equal(row.checkedAt, profile.checkedAtMs, `checkedAt of ${row.pool}`)
    assertShares(row, profile, row.pool)
    assert(isClose(row.poolAgeMin, (profile.checkedAtMs - profile.createdAtMs) / minuteMs), `poolAgeMin of ${row.pool}`)
    const lpAgeMin = minutesFrom(profile.firstAddAtMs, profile.checkedAtMs)
    assert(isClose(row.lpAgeMin, lpAgeMin), `lpAgeMin of ${row.pool}: ${row.lpAgeMin}, expected ${lpAgeMin}`)
  }
}
