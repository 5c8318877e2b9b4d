import { expect } from 'chai'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createChainAQueries } from '../../../projections/chain-a/queries/chain-a.ts'
import { poolMinutes } from '../../../projections/chain-a/tables/pool-minutes.ts'
import { pools } from '../../../projections/chain-a/tables/pools.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { subjectRows } from '../../../projections/subject-rows.ts'
import { columnsOf } from '../../../projections/table.ts'
import { hourMs, minuteMs } from '../../../schemas/units.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'
import { insertVersions } from '../insert-versions.ts'

const noonMs = Date.UTC(2026, 8, 1, 12)
const cut = { atMs: noonMs, blockAtMs: noonMs } as StageCut

describe('the flow and the list of pools', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })
  beforeEach(async () => {
    for (const { name } of [pools, poolMinutes, subjectRows]) await database.command(`TRUNCATE TABLE ${name}`)
  })

  type Opened = Readonly<{ pool: string; atMs: number; block?: number; px?: number | null; isWithdrawn?: boolean }>

  const open = (rows: readonly Opened[]) =>
    insertVersions(database, {
      ...{ table: pools, topic: 'chain-a-derived' },
      rows: rows.map(({ pool, atMs, block = 1, px = 1, isWithdrawn = false }) => ({
        ...{ values: [pool, 'token', 'v4', block, atMs, px], knownAtMs: atMs, isWithdrawn },
      })),
    })
  const trade = (rows: readonly Readonly<{ atMs: number; buys: number; isWithdrawn?: boolean }>[], pool = 'p') =>
    database.insert({
      table: poolMinutes.name,
      columns: columnsOf(poolMinutes),
      rows: rows.map(({ atMs, buys, isWithdrawn = false }, offset) => [
        ...[pool, atMs, '10', '0', buys, 0, 2, atMs + 1, 0.5, atMs, atMs, 0, offset, offset, isWithdrawn ? 1 : 0],
      ]),
    })
  const queries = () => createChainAQueries({ database })
  const flow = () => queries().poolFlow(cut, 'p')
  const listed = async (limit: number) =>
    (await queries().poolsNew(cut, { hours: 24, limit })).map(({ pool, lastSwapAtMs }) => [pool, lastSwapAtMs])

  it('show the last swap, however long ago', async () => {
    await open([{ pool: 'p', atMs: noonMs - 20 * hourMs }])
    await trade([{ atMs: noonMs - 19 * hourMs, buys: 3 }])
    const found = await flow()
    expect(found?.pool).to.include({ lastSwapAtMs: noonMs - 19 * hourMs + 1, lastPx: 2, buys60m: 0, net60mEth: 0 })
    expect(found?.minutes).to.have.length(60)
    expect(await listed(1)).to.deep.equal([['p', noonMs - 19 * hourMs + 1]])
  })

  it('show the last swap that is left when a reorg withdrew more minutes than the flow has', async () => {
    const before = noonMs - 3 * hourMs
    await open([{ pool: 'p', atMs: before }])
    const gone = Array.from({ length: 62 }, (_, index) => ({
      ...{ atMs: noonMs - index * minuteMs, buys: 1, isWithdrawn: true },
    }))
    await trade([{ atMs: before, buys: 3 }, ...gone])
    expect((await flow())?.pool).to.include({ lastSwapAtMs: before + 1, buys60m: 0 })
  })

  it('show the same if those of several pools are asked for together', async () => {
    const names = ['often', 'long-ago', 'withdrawn', 'never', 'unknown']
    const bornMs = noonMs - 3 * hourMs
    await open(names.slice(0, 4).map((pool) => ({ pool, atMs: bornMs })))
    await trade(
      [0, 1, 59, 60, 90].map((minute) => ({ atMs: noonMs - minute * minuteMs, buys: minute + 1 })),
      'often',
    )
    await trade([{ atMs: noonMs - 2 * hourMs, buys: 3 }], 'long-ago')
    await trade(
      [
        { atMs: bornMs, buys: 2 },
        { atMs: noonMs - minuteMs, buys: 1, isWithdrawn: true },
      ],
      'withdrawn',
    )
    const alone = []
    for (const name of names) alone.push(await queries().poolFlow(cut, name))
    const shared = queries()
    const together = await Promise.all(['often', 'often', ...names].map((name) => shared.poolFlow(cut, name)))
    expect(together.slice(2)).to.deep.equal(alone)
    expect(alone.map((found) => found?.pool.buys60m ?? null)).to.deep.equal([63, 0, 0, 0, null])
    expect(alone.map((found) => found && (found.pool.lastSwapAtMs - 1 - noonMs) / minuteMs).slice(0, 3)).to.deep.equal([
      0, -120, -180,
    ])
  })

  it('count no minute before the creation of the pool', async () => {
    await open([{ pool: 'p', atMs: noonMs - 10 * minuteMs + 1 }])
    await trade([
      { atMs: noonMs - 11 * minuteMs, buys: 100 },
      { atMs: noonMs - 10 * minuteMs, buys: 3 },
    ])
    expect((await flow())?.pool).to.include({ buys60m: 3 })
    await database.command(`TRUNCATE TABLE ${poolMinutes.name}`)
    await trade([{ atMs: noonMs - 11 * minuteMs, buys: 100 }])
    expect((await flow())?.pool).to.include({ buys60m: 0, lastSwapAtMs: noonMs - 10 * minuteMs + 1 })
  })

  it('list the youngest pools with a price, by block and then by id within an instant', async () => {
    const tied = Array.from({ length: 70 }, (_, index) => ({
      ...{ pool: `t${index + 100}`, atMs: noonMs - minuteMs, block: index === 69 ? 2 : 1 },
    }))
    const unpriced = Array.from({ length: 10 }, (_, index) => ({ pool: `u${index}`, atMs: noonMs - 1, px: null }))
    await open([{ pool: 'gone', atMs: noonMs, isWithdrawn: true }, ...unpriced, ...tied])
    const names = async (limit: number) => (await listed(limit)).map(([pool]) => pool)
    expect(await names(3)).to.deep.equal(['t169', 't100', 't101'])
    expect(await names(1000)).to.have.length(70)
  })

  it('are counted with those that have no price, whether the list has all of them or the newest', async () => {
    const priced = Array.from({ length: 60 }, (_, index) => ({ pool: `p${index}`, atMs: noonMs - index }))
    await open([
      ...priced,
      { pool: 'u', atMs: noonMs - 70, px: null },
      { pool: 'gone', atMs: noonMs, isWithdrawn: true },
    ])
    for (const limit of [1, 1000]) {
      const { pools, created } = await queries().poolsNewCounted(cut, { hours: 24, limit })
      expect(pools).to.deep.equal(await queries().poolsNew(cut, { hours: 24, limit }))
      expect([pools.length, created]).to.deep.equal([Math.min(limit, 60), 61])
    }
  })
})
