import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { selectWalletCopies, type WalletCopies } from '../../../projections/chain-b/queries/wallet-copies.ts'
import { chainBCopies } from '../../../projections/chain-b/tables/chain-b-copies.ts'
import { chainBCopyResults } from '../../../projections/chain-b/tables/chain-b-copy-results.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import { compareText } from '../../../projections/rows-at-cut.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { columnsOf } from '../../../projections/table.ts'
import { leaderRules, listedBuysMax } from '../../../schemas/chain-b/copy-rules.ts'
import { hourMs } from '../../../schemas/units.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const startMs = nowMs - leaderRules.windowMs
const wallets = ['v', 'W', 'x']

type Key = Readonly<{ atMs: number; mint: string; txHash: string; logIndex: number }>
type Version = Key &
  Readonly<{
    of: 'buy' | 'result'
    wallet: string
    slot: number
    ret: number | null
    saleAfterSec: number | null
    knownAtMs: number
    isWithdrawn: boolean
  }>

/** Each buy in the log is so many buys of the tables. So a wallet can have more buys than are listed. */
const copiesOfBuy = 40

/** The edges of the window of 14 days, and of the first hour of a buy, which has no result. */
const times = [startMs, startMs + 1, nowMs - 2 * hourMs, nowMs - hourMs, nowMs - hourMs + 1, nowMs, nowMs + 1]

/** Texts of both cases, because ClickHouse compares bytes. A buy belongs to one wallet in all its versions. */
const versions = fc
  .array(
    fc.record({
      of: fc.constantFrom('buy', 'result'),
      time: fc.nat(times.length - 1),
      mint: fc.constantFrom('M', 'a'),
      txHash: fc.constantFrom('T', 't'),
      slot: fc.nat(2),
      ret: fc.option(fc.integer({ min: -8, max: 16 }).map((eighths) => eighths / 8)),
      saleAfterSec: fc.option(fc.nat(100)),
      step: fc.nat(1),
      isWithdrawn: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((drawn) => {
    let knownAtMs = 0
    return drawn.flatMap(({ time, step, ...rest }) => {
      knownAtMs += step
      const wallet = wallets[(time + (rest.mint === 'M' ? 1 : 0)) % wallets.length] as string
      const version = { ...rest, atMs: times[time] as number, wallet, knownAtMs }
      return Array.from({ length: copiesOfBuy }, (_, logIndex): Version => ({ ...version, logIndex }))
    })
  })

const valuesOf = ({ of, mint, atMs, txHash, logIndex, slot, wallet, ret, saleAfterSec, isWithdrawn }: Version) => {
  const key = [mint, atMs, txHash, logIndex]
  const owner = isWithdrawn ? '' : wallet
  const isHit = slot === 0 ? 1 : 0
  return of === 'buy'
    ? [...key, slot, owner, '5', 0.5, null, 2, null]
    : [...key, owner, isHit, [0.5, 1], saleAfterSec, null, saleAfterSec, null, null, ret, null, null]
}

const keyText = ({ atMs, mint, txHash, logIndex }: Key) => `${atMs} ${mint} ${txHash} ${logIndex}`
const byPlace = (left: Key, right: Key) =>
  compareText(left.mint, right.mint) || compareText(left.txHash, right.txHash) || left.logIndex - right.logIndex

/** The last versions of the buys or results that were known at the cut, without withdrawn ones, newest first. */
function lastOf(of: Version['of'], all: readonly Version[], { atMs, blockAtMs }: StageCut): readonly Version[] {
  const toMs = of === 'buy' ? blockAtMs : blockAtMs - hourMs
  const last = new Map<string, Version>()
  for (const version of all) if (version.of === of && version.knownAtMs <= atMs) last.set(keyText(version), version)
  return [...last.values()]
    .filter((row) => !row.isWithdrawn && row.atMs > blockAtMs - leaderRules.windowMs && row.atMs <= toMs)
    .sort((left, right) => right.atMs - left.atMs || right.slot - left.slot || byPlace(left, right))
}

const medianOf = (values: readonly number[]) => {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = (sorted.length - 1) / 2
  return sorted.length === 0
    ? null
    : ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
}

function metricsOf(results: readonly Version[]): WalletCopies['metrics'] {
  const counted = results
    .filter(({ ret }) => ret !== null)
    .sort((left, right) => right.atMs - left.atMs || byPlace(left, right))
    .slice(0, leaderRules.bigBuysMax)
    .map(({ ret }) => Math.min(Number(ret), leaderRules.retMax))
  const sales = results.flatMap(({ saleAfterSec }) => (saleAfterSec === null ? [] : [saleAfterSec]))
  const shareOf = (count: number, all: number) => (all === 0 ? null : count / all)
  return {
    n: counted.length,
    // The returns are eighths, so the sums are exact.
    evRaw: shareOf(
      counted.reduce((sum, ret) => sum + ret, 0),
      counted.length,
    ),
    winShare: shareOf(counted.filter((ret) => ret > 0).length, counted.length),
    shadowed: results.length,
    shadowHit: shareOf(results.filter(({ slot }) => slot === 0).length, results.length),
    ...{ sold: sales.length, medSoldSec: medianOf(sales), medSellGain: medianOf(sales) },
    soldWithin60s: sales.filter((sec) => sec <= leaderRules.quickSaleSec).length,
  }
}

/** What is expected of a wallet, recounted from the versions. */
function recount(all: readonly Version[], cut: StageCut, wallet: string) {
  const buys = lastOf('buy', all, cut).filter((row) => row.wallet === wallet)
  const results = buys.length === 0 ? [] : lastOf('result', all, cut).filter((row) => row.wallet === wallet)
  const resultOf = new Map(results.map((result) => [keyText(result), result]))
  const listed = buys.slice(0, listedBuysMax)
  return {
    buys: listed.map((buy) => [keyText(buy), buy.slot, buy.knownAtMs]),
    results: listed.map((buy) => {
      const result = resultOf.get(keyText(buy))
      return result && [result.wallet, result.ret, result.saleAfterSec, result.knownAtMs]
    }),
    count: buys.length,
    firstAtMs: listed.map(({ mint }) => buys.findLast((buy) => buy.mint === mint)?.atMs),
    metrics: metricsOf(results),
  }
}

const shown = ({ buys, resultOf, firstAtMs, count, metrics }: WalletCopies) => ({
  buys: buys.map((buy) => [keyText(buy), buy.slot, buy.knownAtMs]),
  results: buys.map((buy) => {
    const result = resultOf(buy)
    return result && [result.wallet, result.ret, result.saleAfterSec, result.knownAtMs]
  }),
  count,
  firstAtMs: buys.map(({ mint }) => firstAtMs.get(mint)),
  metrics,
})

describe('the followed buys of a wallet', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  async function insert(all: readonly Version[]): Promise<void> {
    for (const [of, table] of [['buy', chainBCopies] as const, ['result', chainBCopyResults] as const]) {
      await database.command(`TRUNCATE TABLE ${table.name}`)
      const rows = all.flatMap((version, offset) => {
        const stamp = [version.knownAtMs, version.knownAtMs, 0, offset, offset, version.isWithdrawn ? 1 : 0]
        return version.of === of ? [[...valuesOf(version), ...stamp]] : []
      })
      if (rows.length > 0) await database.insert({ table: table.name, columns: columnsOf(table), rows })
    }
  }

  const cutAt = (atMs: number, blockAtMs = nowMs): StageCut => ({
    ...{ atMs, blockAtMs, blockNumber: 1, coinPrice: null, source: 'simulated' },
  })

  /** Counts the queries, and keeps their rows. */
  function watch() {
    const answered: (readonly Readonly<Record<string, unknown>>[])[] = []
    const query: Database['query'] = async <Row>(sql: string, parameters?: Parameters<Database['query']>[1]) => {
      const rows = await database.query<Row>(sql, parameters)
      answered.push(rows as (typeof answered)[number])
      return rows
    }
    return { answered, watched: { query } }
  }

  it('are those that a recount of the versions gives, alone and together', async () => {
    await fc.assert(
      fc.asyncProperty(versions, fc.nat(40), fc.nat(1), async (all, atMs, laterMs) => {
        await insert(all)
        const { watched } = watch()
        // The first two are asked alone. The others of a cut are asked together.
        const asked = ['nobody', '', ...wallets].flatMap((wallet) =>
          [cutAt(atMs), cutAt(atMs + 1), cutAt(atMs, nowMs + laterMs)].map((cut) => ({ cut, wallet })),
        )
        const together = await Promise.all(asked.map(({ cut, wallet }) => selectWalletCopies(watched, cut, wallet)))
        for (const [index, { cut, wallet }] of asked.entries())
          expect(shown(together[index] as WalletCopies), `${wallet} together`).to.deep.equal(recount(all, cut, wallet))
        for (const wallet of wallets) {
          const alone = await selectWalletCopies(database, cutAt(atMs), wallet)
          expect(shown(alone), wallet).to.deep.equal(recount(all, cutAt(atMs), wallet))
        }
      }),
      { numRuns: 30, endOnFailure: true },
    )
  })

  /** Buys with results at distinct times, oldest first. */
  const buysOf = (wallet: string, count: number): readonly Version[] =>
    Array.from({ length: count }, (_, index) => {
      const place = {
        atMs: startMs + 1000 * (index + 1),
        mint: `m${index % 3}`,
        txHash: `${wallet}${index}`,
        logIndex: 0,
      }
      return { ...place, wallet, slot: 1, ret: 0.5, saleAfterSec: 9, knownAtMs: 1, isWithdrawn: false }
    }).flatMap((buy) => [
      { ...buy, of: 'buy' as const },
      { ...buy, of: 'result' as const },
    ])

  it('need two queries, also for many wallets, and only one if no wallet has a buy', async () => {
    await insert([...buysOf('v', 2), ...buysOf('x', 3)])
    const { answered, watched } = watch()
    const asked = ['v', 'x', 'y', 'z', 'v']
    const found = await Promise.all(asked.map((wallet) => selectWalletCopies(watched, cutAt(1), wallet)))
    expect(found.map(({ count }) => count)).to.deep.equal([2, 3, 0, 0, 2])
    expect(answered.length, 'v, x, then the rest together').to.equal(6)
    await selectWalletCopies(watched, cutAt(1), 'nobody')
    expect(answered.length).to.equal(7)
  })

  it('bring no more rows out of the engine than are listed', async () => {
    await insert([...buysOf('v', listedBuysMax + 50), ...buysOf('x', 2)])
    const { answered, watched } = watch()
    const busy = await selectWalletCopies(watched, cutAt(1), 'v')
    expect([busy.buys.length, busy.count, busy.metrics.shadowed]).to.deep.equal([
      listedBuysMax,
      listedBuysMax + 50,
      listedBuysMax + 50,
    ])
    expect(answered.map((rows) => rows.length)).to.deep.equal([listedBuysMax, 1])
    expect(answered[1]?.[0]?.results).to.have.length(listedBuysMax)
    expect(busy.firstAtMs.get('m0'), 'of a buy that is not listed').to.equal(startMs + 1000)
    const asked = ['a', 'b', 'v', 'x'].map((wallet) => selectWalletCopies(watched, cutAt(1), wallet))
    await Promise.all(asked)
    const lengths = answered.at(-1)?.map(({ wallet, results }) => [wallet, (results as readonly unknown[]).length])
    expect(lengths?.sort(), 'together with a wallet whose buys are older').to.deep.equal([
      ['v', listedBuysMax],
      ['x', 2],
    ])
  })

  it('are not found with a text that is SQL', async () => {
    await insert(buysOf('v', 1))
    for (const text of ["' OR 1 = 1 --", "v'", '{text0:String}', '\\'])
      expect((await selectWalletCopies(database, cutAt(1), text)).count, text).to.equal(0)
  })
})
