import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../infra/clickhouse/database.ts'
import { atCut, fewAtCut, fromFewAtCut } from '../../projections/at-cut.ts'
import { poolMinutes } from '../../projections/chain-a/tables/pool-minutes.ts'
import { pools } from '../../projections/chain-a/tables/pools.ts'
import { projections } from '../../projections/projections.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { columnsOf } from '../../projections/table.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'

type Version = Readonly<{
  pool: string
  minute: number
  buys: number
  knownAtMs: number
  offset: number
  isWithdrawn: boolean
  isDoubled: boolean
}>

const hourMs = 3_600_000

/** Later offsets have equal or later `knownAtMs`, as in a partition. */
const versions = fc
  .array(
    fc.record({
      pool: fc.constantFrom('p', 'q'),
      minute: fc.integer({ min: 58, max: 62 }),
      buys: fc.nat(1000),
      step: fc.nat(2),
      isWithdrawn: fc.integer({ min: 0, max: 4 }).map((draw) => draw === 0),
      isDoubled: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((drawn) => {
    let knownAtMs = 0
    return drawn.map(({ step, ...rest }, offset): Version => {
      knownAtMs += step
      return { ...rest, knownAtMs, offset }
    })
  })

/**
 * A cut is a time, together with what the service knew at that time. Returns the rows of a cut: for each
 * minute, the last version known at `atMs`. Leaves out withdrawn rows.
 */
const modelAt = (all: readonly Version[], atMs: number): readonly string[] => {
  const last = new Map<string, Version>()
  for (const version of all) if (version.knownAtMs <= atMs) last.set(`${version.pool} ${version.minute}`, version)
  return [...last]
    .filter(([, { isWithdrawn }]) => !isWithdrawn)
    .map(([key, { buys }]) => `${key} ${buys}`)
    .sort()
}

describe('atCut', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const insert = (rows: readonly Version[]) =>
    database.insert({
      table: poolMinutes.name,
      columns: columnsOf(poolMinutes),
      rows: rows.map(({ pool, minute, buys, knownAtMs, offset, isWithdrawn }) => [
        ...[pool, minute * 60_000, '1', '0', buys, 0, null, null, 0.5],
        ...[knownAtMs, knownAtMs, 0, offset, offset, isWithdrawn ? 1 : 0],
      ]),
    })

  const selectFrom = async (subquery: string) =>
    (
      await database.query<{ row: string }>(
        `SELECT concat(pool, ' ', toString(intDiv(minute_at_ms, 60000)), ' ', toString(buys)) AS row
         FROM ${subquery} ORDER BY row`,
      )
    ).map(({ row }) => row)

  it('shows what a plain reading of the versions shows, at any instant, doubled rows or not', async () => {
    await fc.assert(
      fc.asyncProperty(versions, fc.nat(40), async (all, atMs) => {
        await database.command('TRUNCATE TABLE pool_minutes')
        await insert(all)
        const doubled = all.filter(({ isDoubled }) => isDoubled)
        if (doubled.length > 0) await insert(doubled)
        const expected = modelAt(all, atMs)
        expect(await selectFrom(atCut(poolMinutes, atMs))).to.deep.equal(expected)
        const hour = { from: hourMs, to: 2 * hourMs - 1 }
        for (const of of [atCut, fewAtCut, fromFewAtCut])
          expect(await selectFrom(of(poolMinutes, atMs, { pool: { sql: "= 'p'" }, minute_at_ms: hour }))).to.deep.equal(
            expected.filter((row) => row.startsWith('p') && Number(row.split(' ')[1]) >= 60),
          )
      }),
      { numRuns: 20 },
    )
  })

  it('takes instants as whole numbers only', () => {
    expect(() => atCut(pools, 1.5)).to.throw('not a whole number')
    expect(() => atCut(pools, 1, { created_at_ms: { from: Number.NaN, to: 2 } })).to.throw('not a whole number')
  })
})
