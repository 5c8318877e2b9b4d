import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createPoolMinutes, type Trades, tradesOf } from '../../../projections/chain-a/queries/pool-trades.ts'
import { poolMinutes } from '../../../projections/chain-a/tables/pool-minutes.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import type { LastKnown } from '../../../projections/recent-writes.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { columnsOf } from '../../../projections/table.ts'
import { dayMs, minuteMs } from '../../../schemas/units.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'

/** Times are in steps of ten minutes. An hour has six, and a day 144. */
const stepMs = 10 * minuteMs
const pools = ['p', 'q']

/** No answer lists an older pool. */
const oldest = ({ blockAtMs }: StageCut) => ({ createdAtMs: blockAtMs - dayMs + 1 })

const minuteOf = (atMs: number) => Math.floor(atMs / minuteMs) * minuteMs

type Version = Readonly<{ pool: string; at: number; buys: number; knownAt: number; isWithdrawn: boolean }>

const written = fc
  .array(
    fc.record({
      pool: fc.constantFrom(...pools),
      back: fc.oneof({ weight: 3, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(20) }),
      buys: fc.integer({ min: 1, max: 1000 }),
      step: fc.oneof({ weight: 9, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.constantFrom(10, 150) }),
      isWithdrawn: fc.integer({ min: 0, max: 2 }).map((draw) => draw === 0),
    }),
    { minLength: 5, maxLength: 40 },
  )
  .map((drawn) => {
    let knownAt = 20
    return drawn.map(({ step, back, ...rest }): Version => {
      knownAt += step
      return { ...rest, at: knownAt - back, knownAt }
    })
  })

const asked = fc.array(
  fc.record({
    step: fc.oneof(
      { weight: 8, arbitrary: fc.nat(3) },
      // 20 seconds, so the identity of the tables is not looked up each time.
      { weight: 8, arbitrary: fc.constant(1 / 30) },
      { weight: 1, arbitrary: fc.constantFrom(-5, -1, 7, 12, 140, 150) },
    ),
    blocksBehind: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(12) }),
    hearsOfRows: fc.boolean(),
  }),
  { minLength: 10, maxLength: 30 },
)

const limits = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ poolsMax: 100, minutesMax: 1000 }) },
  { weight: 1, arbitrary: fc.constant({ poolsMax: 1, minutesMax: 1000 }) },
  { weight: 1, arbitrary: fc.constant({ poolsMax: 100, minutesMax: 3 }) },
)

describe('the minutes of pools in memory', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  async function insert(versions: readonly Version[]): Promise<void> {
    await database.command('TRUNCATE TABLE pool_minutes')
    const rows = versions.map(({ pool, at, buys, knownAt, isWithdrawn }, offset) => [
      ...[pool, at * stepMs, '3', '1', buys, 0, at, at * stepMs, buys],
      ...[knownAt * stepMs, knownAt * stepMs, 0, offset, offset, isWithdrawn ? 1 : 0],
    ])
    await database.insert({ table: poolMinutes.name, columns: columnsOf(poolMinutes), rows })
  }

  const shown = (one: Readonly<{ at: number; liq: number; net: bigint; buys: number }> | undefined) =>
    one && `${one.at}: ${one.liq} ETH, net ${one.net}, ${one.buys} buys`

  /** What the service knew of a pool at the cut, recounted from the versions. */
  function expectedAt(versions: readonly Version[], pool: string, { atMs, blockAtMs }: StageCut) {
    const last = new Map<number, Version>()
    for (const version of versions)
      if (version.pool === pool && version.knownAt * stepMs <= atMs) last.set(version.at, version)
    const valid = [...last.values()].filter(
      ({ at, isWithdrawn }) =>
        !isWithdrawn && at * stepMs <= blockAtMs && at * stepMs >= minuteOf(blockAtMs - dayMs + 1),
    )
    const newest = valid.reduce<Version | undefined>((so, one) => (so && so.at > one.at ? so : one), undefined)
    const recent = valid.filter(({ at }) => at * stepMs >= minuteOf(blockAtMs) - 59 * minuteMs)
    const buys = recent.reduce((sum, one) => sum + one.buys, 0)
    return shown(newest && { at: newest.at, liq: newest.buys, net: BigInt(2 * recent.length), buys })
  }

  const lineOf = (trades: Trades | undefined) =>
    shown(
      trades && {
        ...{ at: Number(trades.newest.lastPx), liq: trades.newest.liqEth, net: trades.netWei, buys: trades.buys },
      },
    )

  const countingDatabase = () => {
    const seen = { sql: '' }
    const query: Database['query'] = (sql, parameters) => {
      seen.sql += sql
      return database.query(sql, parameters)
    }
    return { seen, database: { ...database, query } }
  }

  /** Some pools are selected again after a withdrawal, with the other minutes from memory. */
  const branchOf = (sql: string) => {
    if (sql === '') return 'fromMemory' as const
    if (!sql.includes('known_at_ms > ')) return 'selected' as const
    return sql.includes('known_at_ms <= ', sql.lastIndexOf('known_at_ms > ') + 60)
      ? ('again' as const)
      : ('advanced' as const)
  }

  const lastKnownAt = (versions: readonly Version[], atMs: number): LastKnown => ({
    pool_minutes: Math.max(0, ...versions.map(({ knownAt }) => knownAt * stepMs).filter((knownMs) => knownMs <= atMs)),
  })

  it('give the trades of the tables at every cut, whatever was asked before', async () => {
    const taken = { fromMemory: 0, advanced: 0, again: 0, selected: 0, silent: 0, none: 0 }
    await fc.assert(
      fc.asyncProperty(written, asked, limits, async (versions, cuts, limit) => {
        await insert(versions)
        const counting = countingDatabase()
        const minutesOf = createPoolMinutes(counting.database, limit)
        let at = 20
        for (const { step, blocksBehind, hearsOfRows } of cuts) {
          at = Math.max(0, at + step)
          const cut = { atMs: Math.round(at * stepMs), blockAtMs: Math.round((at - blocksBehind) * stepMs) } as StageCut
          counting.seen.sql = ''
          const known = hearsOfRows ? { lastKnown: lastKnownAt(versions, cut.atMs) } : {}
          const minutes = await minutesOf({ ...cut, ...known }, pools)
          taken[branchOf(counting.seen.sql)] += 1
          const found = pools.map((pool) => tradesOf(minutes.get(pool) ?? [], cut, oldest(cut)))
          expect(found.map(lineOf), `at ${at}`).to.deep.equal(pools.map((pool) => expectedAt(versions, pool, cut)))
          taken.none += found.filter((trades) => trades === undefined).length
          taken.silent += found.filter((trades) => trades?.buys === 0).length
        }
      }),
      { numRuns: 40, endOnFailure: true },
    )
    for (const [branch, count] of Object.entries(taken)) expect(count, branch).to.be.greaterThan(10)
  })

  it('are selected again if the only one in memory is withdrawn', async () => {
    const row = { pool: 'p', buys: 1, isWithdrawn: false }
    await insert([
      { ...row, at: 20, knownAt: 20 },
      { ...row, at: 29, knownAt: 29 },
      { ...row, at: 29, knownAt: 31, isWithdrawn: true },
    ])
    const minutesOf = createPoolMinutes(database)
    const newestAt = async (at: number) => {
      const cut = { atMs: at * stepMs, blockAtMs: at * stepMs } as StageCut
      return tradesOf((await minutesOf(cut, ['p'])).get('p') ?? [], cut, oldest(cut))?.newest.lastPx
    }
    // At 30, the minute 20 is older than an hour and goes from memory.
    const newest = [await newestAt(20), await newestAt(25), await newestAt(30), await newestAt(31)]
    expect(newest).to.deep.equal([20, 20, 29, 20])
  })

  it('are selected again if only a late one is left', async () => {
    const row = { pool: 'p', buys: 1, isWithdrawn: false }
    await insert([
      ...[18, 20, 29].map((at) => ({ ...row, at, knownAt: at })),
      { ...row, at: 10, knownAt: 31 },
      { ...row, at: 29, knownAt: 32, isWithdrawn: true },
    ])
    const minutesOf = createPoolMinutes(database)
    const newest: unknown[] = []
    for (const at of [20, 25, 30, 31, 32, 33]) {
      const cut = { atMs: at * stepMs, blockAtMs: at * stepMs } as StageCut
      newest.push(tradesOf((await minutesOf(cut, ['p'])).get('p') ?? [], cut, oldest(cut))?.newest.lastPx)
    }
    expect(newest).to.deep.equal([20, 20, 29, 29, 20, 20])
  })

  it('do not count before the creation of the pool', async () => {
    const row = { pool: 'p', buys: 1, knownAt: 30, isWithdrawn: false }
    await insert([27, 28, 29].map((at) => ({ ...row, at })))
    const cut = { atMs: 30 * stepMs, blockAtMs: 30 * stepMs } as StageCut
    const minutes = (await createPoolMinutes(database)(cut, ['p'])).get('p') ?? []
    const buysSince = (createdAtMs: number) => tradesOf(minutes, cut, { createdAtMs })?.buys
    expect([0, 28 * stepMs + minuteMs - 1, 28 * stepMs + minuteMs].map(buysSince)).to.deep.equal([3, 2, 1])
    expect(buysSince(30 * stepMs)).to.equal(undefined)
  })
})
