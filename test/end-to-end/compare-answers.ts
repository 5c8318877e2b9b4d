/** Compares the sold rows with those of the oracle (an independent computation), field by field. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { RhBurst } from '../../api/chain-a/resources/burst.ts'
import type { Pool } from '../../api/chain-a/resources/pool.ts'
import type { OracleBurstRow } from '../support/oracle/oracle.ts'
import type { OracleExit } from '../support/oracle/outcomes.ts'
import type { OraclePoolRow } from '../support/oracle/pool-rows.ts'
import { isClose } from './close.ts'
import { assertLp } from './compare-liquidity.ts'

/** A price is about 1e-27, so only a relative comparison makes sense. */
const isRelativelyClose = (one: number, other: number): boolean => Math.abs(one - other) <= 1e-9 * Math.abs(other)

const exactInBurst = [
  'token',
  'pool',
  'tier',
  'at',
  'dex',
  'shape',
  'buys',
  'sells',
  'windowSec',
  'sameSizeMax',
] as const
const closeInBurst = ['inflowEth', 'poolAgeMin', 'top3Share', 'sizeCV'] as const

const keyOf = ({ pool, tier, at }: Readonly<{ pool: string; tier: string; at: number }>): string =>
  `${pool}:${tier}:${at}`

/** The time after a burst at which the service knows the senders of its buys, in milliseconds. */
const buyersKnownAfterMs = 30_000

/** Throws at the first difference. Both lists must have the same bursts, in any order. */
export function assertBursts(
  rows: readonly RhBurst[],
  expected: readonly OracleBurstRow[],
  { blockAtMs }: Readonly<{ blockAtMs: number }>,
): void {
  const byKey = new Map(expected.map((burst) => [keyOf(burst), burst]))
  assert.deepEqual(rows.map(keyOf).sort(), [...byKey.keys()].sort(), 'other bursts than expected')
  for (const row of rows) {
    const burst = byKey.get(keyOf(row))
    assert(burst !== undefined)
    assertSignal(row, burst)
    if (blockAtMs >= row.at + buyersKnownAfterMs) {
      assert.equal(row.buyers, burst.buyers, `buyers of ${keyOf(row)}`)
      assert.equal(row.repeatBuyers, burst.repeatBuyers, `repeatBuyers of ${keyOf(row)}`)
    }
    assertLp(row, burst.lp)
    assertOutcome(row, burst)
  }
  assertRuleIds(rows, byKey)
}

function assertSignal(row: RhBurst, burst: OracleBurstRow): void {
  const where = keyOf(row)
  for (const field of exactInBurst) assert.equal(row[field], burst[field], `${field} of ${where}`)
  for (const field of closeInBurst)
    assert(isClose(row[field], burst[field]), `${field} of ${where}: ${row[field]}, expected ${burst[field]}`)
  assert.equal(row.gaps, null, `gaps of ${where}`)
  assert.equal(row.id, createHash('sha1').update(`a:${where}`).digest('hex').slice(0, 16))
}

function assertOutcome(row: RhBurst, burst: OracleBurstRow): void {
  const { outcome } = row
  const where = keyOf(row)
  assert.equal(outcome.scored, burst.outcome !== null, `scored of ${where}`)
  if (!outcome.scored || burst.outcome === null) return
  for (const field of ['ret30m', 'peakRet', 'ruleRet'] as const)
    assert(
      isClose(outcome[field], burst.outcome[field]),
      `${field} of ${where}: ${outcome[field]}, expected ${burst.outcome[field]}`,
    )
  assertRug(row, burst)
  assert.equal(Object.keys(outcome.byRule).length, Object.keys(burst.outcome.byRule).length)
  assert(isSameExit(outcome.byRule.hold, burst.outcome.byRule.hold), `hold of ${where}`)
}

function assertRug({ outcome, ...row }: RhBurst, { outcome: expected }: OracleBurstRow): void {
  if (!outcome.scored || !expected) return
  const where = keyOf(row)
  assert.equal(outcome.rug?.atSec, expected.rug?.atSec, `rug of ${where}`)
  const [removed, expectedRemoved] = [outcome.rug?.lpRemoved ?? 0, expected.rug?.lpRemoved ?? 0]
  assert(isClose(removed, expectedRemoved), `lpRemoved of ${where}: ${removed}, expected ${expectedRemoved}`)
}

const isSameExit = (one: OracleExit | undefined, other: OracleExit | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.why === other.why &&
  one.sec === other.sec &&
  isClose(one.ret, other.ret)

/**
 * Checks the rule ids, which are opaque but stable. Over all bursts, each id must match exactly one rule, and
 * each rule must have an id.
 */
function assertRuleIds(rows: readonly RhBurst[], expected: ReadonlyMap<string, OracleBurstRow>): void {
  const scored = rows.flatMap((row) => {
    const outcome = expected.get(keyOf(row))?.outcome
    return row.outcome.scored && outcome ? [{ sold: row.outcome.byRule, exits: outcome.byRule }] : []
  })
  const [first] = scored
  if (first === undefined) return
  const behavesLike = (id: string) =>
    Object.keys(first.exits).filter((rule) => scored.every(({ sold, exits }) => isSameExit(sold[id], exits[rule])))
  const candidates = Object.keys(first.sold).map((id) => ({ id, rules: behavesLike(id) }))
  const taken = new Set<string>()
  for (const { id, rules } of candidates.sort((a, b) => a.rules.length - b.rules.length)) {
    const rule = rules.find((name) => !taken.has(name))
    assert(rule !== undefined, `the exits under ${id} are those of no rule`)
    taken.add(rule)
  }
}

const exactInPool = ['id', 'dex', 'token', 'createdBlock', 'lastSwapAt', 'buys60m', 'sells60m'] as const
const closeInPool = ['net60m', 'liqEth'] as const

/** Throws at the first difference. Both lists must have the same pools, in any order. */
export function assertPools(
  rows: readonly Pool[],
  expected: readonly OraclePoolRow[],
  answer: Readonly<{ generatedAt: number }>,
): void {
  const byId = new Map(expected.map((pool) => [pool.id, pool]))
  assert.deepEqual(rows.map(({ id }) => id).sort(), [...byId.keys()].sort(), 'other pools than expected')
  for (const row of rows) {
    const pool = byId.get(row.id)
    assert(pool !== undefined)
    assertPool(row, pool, answer)
  }
}

export function assertPool(row: Pool, pool: OraclePoolRow, { generatedAt }: Readonly<{ generatedAt: number }>): void {
  assert(isClose(row.ageMin, (generatedAt - pool.createdAtMs) / 60_000), `ageMin of ${row.id}: ${row.ageMin}`)
  for (const field of exactInPool) assert.equal(row[field], pool[field], `${field} of ${row.id}`)
  for (const field of closeInPool)
    assert(isClose(row[field], pool[field]), `${field} of ${row.id}: ${row[field]}, expected ${pool[field]}`)
  const isSamePrice = isRelativelyClose(row.lastPx, pool.lastPx)
  assert(isSamePrice, `lastPx of ${row.id}: ${row.lastPx}, expected ${pool.lastPx}`)
  assert.deepEqual([...row.fired].sort(), [...pool.fired].sort(), `fired of ${row.id}`)
}

/** Compares sixty rows of six numbers each. The tolerance is far below 1, so counts must be equal. */
export function assertMinutes(rows: readonly (readonly number[])[], pool: OraclePoolRow): void {
  assert.equal(rows.length, pool.mins.length)
  rows.forEach((row, index) => {
    const expected = pool.mins[index] ?? []
    const isSame =
      row.length === expected.length && row.every((value, column) => isClose(value, expected[column] ?? NaN))
    assert(isSame, `minute ${index} of ${pool.id}: ${JSON.stringify(row)}, expected ${JSON.stringify(expected)}`)
  })
}
