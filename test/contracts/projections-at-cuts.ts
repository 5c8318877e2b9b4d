/** Tests that an answer for a past time stays the same, whatever the service learns later. */
import { expect } from 'chai'
import type { ChainAQueries } from '../../projections/chain-a/queries/chain-a-queries.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { projections } from '../../projections/projections.ts'
import { rebuildProjections } from '../../projections/sink/rebuild.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import {
  address,
  buildBurst,
  buildBuyers,
  buildLp,
  buildMinute,
  buildOutcome,
  buildPoolOpened,
  buildRestated,
  buildTick,
  buildWithdrawn,
  createDerivedLog,
  noonMs,
  poolId,
} from '../projections/derived-log.ts'
import { writeMarket } from '../projections/market.ts'
import { allBursts, hourMs, logger, minuteMs, type Tables } from './projections-tables.ts'

const stages = [chainAStage]

/** Every query must have an answer here. A missing query is a compile error. */
type Queries = Omit<ChainAQueries, 'tracked' | 'desk'>
type AnswerOfEachQuery = { readonly [Name in keyof Queries]: Awaited<ReturnType<Queries[Name]>> }

export function cutAnswers(tables: Tables): void {
  const answersAt = async (cut: StageCut): Promise<AnswerOfEachQuery> => {
    const { queries } = tables
    return {
      burstsLive: await queries.burstsLive(cut, { ...allBursts, minutes: 240 }),
      burstsHistory: await queries.burstsHistory(cut, { ...allBursts, hours: 24 }),
      latestBurst: await queries.latestBurst(cut, allBursts),
      poolsNew: await queries.poolsNew(cut, { hours: 24, limit: 1000 }),
      poolsNewCounted: await queries.poolsNewCounted(cut, { hours: 24, limit: 1000 }),
      poolFlow: await queries.poolFlow(cut, poolId(1)),
      tokenPrices: await queries.tokenPrices(cut, { token: address(1), hours: 24 }),
      rugCheck: await queries.rugCheck(cut, address(1)),
      verdict: await queries.verdict(cut, address(1)),
      crews: await queries.crews(cut, { minBursts: 1, limit: 25 }),
      lastDay: await queries.lastDay(cut),
      gapCounts: await queries.gapCounts(cut),
      counts: await queries.counts(cut),
    }
  }

  it('has no cut before every partition is projected', async () => {
    expect(await tables.cuts.newest(stages), 'without tables').to.equal(null)
    const derived = await createDerivedLog()
    await tables.project(derived)
    expect(await tables.cuts.newest(stages), 'with empty tables').to.equal(null)
    expect(await tables.cuts.at(noonMs, stages)).to.equal(null)
  })

  it('has no cut while one partition is missing, and one as soon as that has a tick', async () => {
    const derived = await createDerivedLog()
    const appendTick = (seq: number, partitions: readonly number[]) => {
      const value = derived.encode('Tick', buildTick({ seq, knownAtMs: noonMs + 1000 * seq, blockAtMs: noonMs }))
      return derived.append(
        partitions.map((partition) => ({ topic: 'chain-a-derived', partition, key: 'tick', value })),
      )
    }
    for (const seq of [1, 2, 3]) await appendTick(seq, [0, 1, 3])
    await tables.project(derived)
    expect(await tables.cuts.newest(stages)).to.equal(null)
    expect(await tables.cuts.at(noonMs + 1000, stages)).to.equal(null)
    await appendTick(1, [2])
    await appendTick(2, [2])
    await tables.project(derived)
    expect((await tables.newestCut()).atMs).to.equal(noonMs + 2000)
  })

  it('cuts at the newest tick that all partitions have', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs + 1100, [], { ethUsd: 1999.99, blockAtMs: noonMs })
    await tables.project(derived)
    const { lastKnown, ...newest } = await tables.newestCut()
    expect(lastKnown).to.include({ bursts: 0, trade_gaps: 0 })
    expect(newest).to.deep.equal({
      atMs: noonMs + 1100,
      blockNumber: 10,
      blockAtMs: noonMs,
      coinPrice: { usd: 1999.99, atMs: noonMs - 1000 },
      source: 'simulated',
    })
    await derived.tick(noonMs + 3000)
    await derived.tick(noonMs + 3001)
    await tables.project(derived)
    expect(await tables.newestCut()).to.include({ atMs: noonMs + 3001, blockNumber: 30 })
    expect(await tables.cuts.at(noonMs + 1099, stages)).to.equal(null)
    expect(await tables.cutAt(noonMs + 1100)).to.include({ blockNumber: 10 })
    expect(await tables.cuts.at(noonMs + 3001, stages)).to.include({ atMs: noonMs + 3001 })
    expect(await tables.cuts.at(noonMs + 3002, stages)).to.equal(null)
  })

  it('knows from when on something is known of all stages that are asked about', async () => {
    expect(await tables.cuts.oldestAtMs(stages), 'without ticks').to.equal(null)
    const derived = await createDerivedLog()
    await derived.tick(noonMs + 1100)
    await derived.tick(noonMs + 3000)
    await tables.project(derived)
    expect(await tables.cuts.oldestAtMs(stages)).to.equal(noonMs + 1100)
    expect(await tables.cuts.at(noonMs + 1100, stages)).to.include({ atMs: noonMs + 1100 })
    expect(await tables.cuts.oldestAtMs([...stages, chainBStage]), 'of chain B nothing is').to.equal(null)
  })

  it('answers alike in batches of 1, 7 and 1000 ticks, and after a rebuild', async () => {
    const derived = await createDerivedLog()
    await writeMarket(derived)
    await tables.project(derived, { tickCountMax: 1000, rowCountMax: 1000 })
    const cut = await tables.newestCut()
    const expected = await answersAt(cut)
    expect(expected.burstsLive).to.have.length(2)
    for (const tickCountMax of [1, 7]) {
      await tables.empty()
      await tables.project(derived, { tickCountMax, rowCountMax: 1000 })
      expect(await answersAt(cut), `${tickCountMax}`).to.deep.equal(expected)
    }
    await tables.writer.command('TRUNCATE TABLE bursts')
    await rebuildProjections({
      ...derived,
      projections,
      logger,
      signal: new AbortController().signal,
      database: tables.options,
    })
    expect(await answersAt(cut), 'rebuilt').to.deep.equal(expected)
  })

  it('keeps the answer of an old cut when later versions arrive', async () => {
    const derived = await createDerivedLog()
    await writeMarket(derived)
    await tables.project(derived)
    const cut = await tables.newestCut()
    const before = await answersAt(cut)
    const atMs = noonMs + hourMs + 6000
    await derived.tick(atMs, [
      [address(1), buildMinute({ minuteAtMs: noonMs, buys: 99, lastPx: 1 })],
      [address(1), buildMinute({ minuteAtMs: noonMs + hourMs, buys: 7, lastPx: 1 })],
      [address(1), buildOutcome({ atMs: noonMs + 24 * minuteMs })],
      [address(1), buildBurst({ tier: 'refire', atMs })],
      [address(9), buildPoolOpened({ pool: poolId(9), createdAtMs: atMs })],
    ])
    await derived.tick(atMs + 5000)
    await tables.project(derived)
    expect(await answersAt(cut)).to.deep.equal(before)
    expect((await answersAt(await tables.newestCut())).counts).to.deep.equal({ bursts24h: 3, poolsTracked: 4 })
  })

  it('says of each later class when what is shown of it was known', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs + 4000, [
      [address(1), buildPoolOpened()],
      [address(1), buildBurst()],
    ])
    await derived.tick(noonMs + 9000, [[address(1), buildBuyers()]])
    await derived.tick(noonMs + 10_000, [[address(1), buildLp()]])
    await derived.tick(noonMs + 11_000, [[address(1), buildOutcome()]])
    await derived.tick(noonMs + 20_000)
    await tables.project(derived)
    const filledAt = async (atMs: number) => {
      const [burst] = await tables.queries.burstsLive(await tables.cutAt(noonMs + atMs), { ...allBursts, minutes: 60 })
      return burst?.filled
    }
    // A row version is published 7 ms after the service knew it.
    const stamp = (atMs: number) => ({ knownAtMs: noonMs + atMs, publishedAtMs: noonMs + atMs + 7 })
    expect(await filledAt(8999)).to.deep.equal({ seconds: null, outcome: null })
    expect(await filledAt(9000)).to.deep.equal({ seconds: stamp(9000), outcome: null })
    expect(await filledAt(10_999)).to.deep.equal({ seconds: stamp(10_000), outcome: null })
    expect(await filledAt(11_000)).to.deep.equal({ seconds: stamp(10_000), outcome: stamp(11_000) })
  })

  it('takes a burst that a reorg withdrew out of every answer and keeps it under its old cuts', async () => {
    const derived = await createDerivedLog()
    const other = { pool: poolId(2), atMs: noonMs + 3000 }
    await derived.tick(noonMs + 4000, [
      [address(1), buildPoolOpened()],
      [address(1), buildMinute()],
      [address(1), buildBurst()],
      [address(2), buildBurst(other)],
    ])
    await derived.tick(noonMs + 9000, [
      [address(1), buildBuyers()],
      [address(1), buildOutcome()],
      [address(2), buildBuyers(other)],
    ])
    const moved = { atMs: noonMs + 2000, buys: 15 }
    await derived.tick(
      noonMs + 11_000,
      [
        [address(1), buildWithdrawn()],
        [address(1), buildWithdrawn({ recordType: 'BurstBuyers' })],
        [address(1), buildWithdrawn({ recordType: 'BurstOutcome' })],
        [address(1), buildWithdrawn({ recordType: 'PoolClosed', tier: null })],
        [address(1), buildWithdrawn({ recordType: 'PoolMinute', tier: null })],
        [address(1), buildRestated({ atMs: moved.atMs, supersedesAtMs: noonMs })],
        [address(1), buildBurst(moved)],
        [address(2), buildRestated({ recordType: 'BurstBuyers', ...other })],
        [address(2), buildBuyers({ ...other, wallets: [address(2), address(3), address(4)] })],
      ],
      { revertedFrom: 7 },
    )
    await derived.tick(noonMs + 17_000, [[address(1), buildWithdrawn({ ...moved })]])
    await derived.tick(noonMs + 20_000, [
      [address(1), buildWithdrawn({ recordType: 'PoolOpened', tier: null })],
      [address(1), buildRestated()],
      [address(1), buildBurst({ buys: 16 })],
    ])
    await derived.tick(noonMs + 21_000)
    await tables.project(derived)
    const at = async (atMs: number) => {
      const cut = await tables.cutAt(atMs)
      const [bursts, flow, { poolsTracked }] = await Promise.all([
        tables.queries.burstsLive(cut, { ...allBursts, minutes: 60 }),
        tables.queries.poolFlow(cut, poolId(1)),
        tables.queries.counts(cut),
      ])
      const rows = bursts.map((burst) => [burst.atMs - noonMs, burst.buys, burst.buyers, burst.repeatBuyers])
      const marks = bursts.map((burst) => [burst.knownAtMs - noonMs, burst.supersedesAtMs, burst.outcome !== null])
      const trades = flow?.minutes.reduce((sum, { buys }) => sum + buys, 0)
      return { rows, marks, fired: flow?.pool.fired, trades, poolsTracked }
    }
    expect(await at(noonMs + 10_999)).to.deep.equal({
      rows: [
        [3000, 14, 2, 2],
        [0, 14, 2, 0],
      ],
      marks: [
        [4000, null, false],
        [4000, null, true],
      ],
      fired: ['main'],
      trades: 1,
      poolsTracked: 1,
    })
    expect(await at(noonMs + 11_000)).to.deep.equal({
      rows: [
        [3000, 14, 3, null],
        [2000, 15, null, null],
      ],
      marks: [
        [4000, null, false],
        [11_000, noonMs, false],
      ],
      fired: ['main'],
      trades: 0,
      poolsTracked: 1,
    })
    expect(await at(noonMs + 17_000)).to.deep.include({ rows: [[3000, 14, 3, 0]], fired: [] })
    expect(await at(noonMs + 20_000)).to.deep.equal({
      rows: [
        [3000, 14, 3, null],
        [0, 16, null, null],
      ],
      marks: [
        [4000, null, false],
        [20_000, null, false],
      ],
      fired: undefined,
      trades: undefined,
      poolsTracked: 0,
    })
  })
}
