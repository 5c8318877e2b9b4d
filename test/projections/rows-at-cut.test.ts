import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../infra/clickhouse/database.ts'
import { atCut } from '../../projections/at-cut.ts'
import { poolMinutes } from '../../projections/chain-a/tables/pool-minutes.ts'
import { projections } from '../../projections/projections.ts'
import { byKey, detailsAt, selectRowsAt } from '../../projections/rows-at-cut.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { columnsOf } from '../../projections/table.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'

type Version = Readonly<{ pool: string; minute: number; buys: number; knownAtMs: number; isWithdrawn: boolean }>

/** Later versions have equal or later `knownAtMs`, as in a partition. */
const versions = fc
  .array(
    fc.record({
      pool: fc.constantFrom('p', 'q'),
      minute: fc.integer({ min: 0, max: 5 }),
      buys: fc.nat(1000),
      step: fc.nat(2),
      isWithdrawn: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((drawn) => {
    let knownAtMs = 0
    return drawn.map(({ step, ...rest }): Version => {
      knownAtMs += step
      return { ...rest, knownAtMs }
    })
  })

describe('rows at a cut', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const insert = async (rows: readonly Version[]) => {
    await database.command('TRUNCATE TABLE pool_minutes')
    await database.insert({
      table: poolMinutes.name,
      columns: columnsOf(poolMinutes),
      rows: rows.map(({ pool, minute, buys, knownAtMs, isWithdrawn }, offset) => [
        ...[pool, minute * 60_000, '1', '0', buys, 0, null, null, 0.5],
        ...[knownAtMs, knownAtMs + 1, 0, offset, offset, isWithdrawn ? 1 : 0],
      ]),
    })
  }
  const ofP = { conditions: { pool: { sql: '= {pool:String}' } }, parameters: { pool: 'p' } }

  it('are those of atCut', async () => {
    await fc.assert(
      fc.asyncProperty(versions, fc.nat(40), async (all, atMs) => {
        await insert(all)
        const { rows, isAll } = await selectRowsAt(database, poolMinutes, { atMs, ...ofP })
        const expected = await database.query<Readonly<{ line: string }>>(
          `SELECT concat(toString(minute_at_ms), ' ', toString(buys), ' ', toString(known_at_ms), ' ', toString(published_at_ms)) AS line
           FROM ${atCut(poolMinutes, atMs, { pool: { sql: "= 'p'" } })}`,
        )
        const lines = rows.map((row) => `${row.minuteAtMs} ${row.buys} ${row.knownAtMs} ${row.publishedAtMs}`)
        expect(lines).to.have.members(expected.map(({ line }) => line))
        expect(isAll).to.equal(true)
      }),
      { numRuns: 20 },
    )
  })

  it('are limited together with the withdrawn ones, and tell whether some are left out', async () => {
    const live = { buys: 1, knownAtMs: 1, isWithdrawn: false }
    await insert([1, 2, 3].map((minute) => ({ pool: 'p', minute, ...live, isWithdrawn: minute === 3 })))
    const newest = (limit: number) =>
      selectRowsAt(database, poolMinutes, { atMs: 1, ...ofP, order: 'minute_at_ms DESC', limit })
    const minutesOf = async (limit: number) => (await newest(limit)).rows.map(({ minuteAtMs }) => minuteAtMs / 60_000)
    expect([await minutesOf(1), await minutesOf(2), await minutesOf(4)]).to.deep.equal([[], [2], [2, 1]])
    expect([(await newest(3)).isAll, (await newest(4)).isAll]).to.deep.equal([false, true])
  })

  it('are found by their key, and have their details without it', async () => {
    await insert([{ pool: 'p', minute: 1, buys: 7, knownAtMs: 1, isWithdrawn: false }])
    const { rows } = await selectRowsAt(database, poolMinutes, { atMs: 1, ...ofP })
    const found = byKey(poolMinutes, rows)
    expect(found({ pool: 'p', minuteAtMs: 60_000 })?.buys).to.equal(7)
    expect(found({ pool: 'p', minuteAtMs: 0 })).to.equal(undefined)
    const { lastPx, lastSwapAtMs } = { lastPx: null, lastSwapAtMs: null }
    expect(detailsAt(poolMinutes, rows[0])).to.deep.equal({
      ...{ buyWei: '1', sellWei: '0', buys: 7, sells: 0, lastPx, lastSwapAtMs, liqEth: 0.5 },
    })
    expect(detailsAt(poolMinutes, undefined)).to.equal(null)
  })
})
