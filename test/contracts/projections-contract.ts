/** What the projections promise on every ClickHouse: run on the embedded engine and over HTTP. */
import { expect } from 'chai'
import { pino } from 'pino'
import type { DatabaseOptions } from '../../infra/clickhouse/connect.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { OperationError } from '../../infra/errors.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import { createSchemaCodec } from '../../infra/schema-codec.ts'
import type { BatchLimits } from '../../projections/batches.ts'
import { createChainAViews } from '../../projections/queries/chain-a.ts'
import type { ChainAViews, Cut } from '../../projections/queries/chain-a-views.ts'
import { rebuildProjections } from '../../projections/rebuild.ts'
import { projectToEnd, runProjections } from '../../projections/run.ts'
import { type Batch, writeBatch } from '../../projections/sink.ts'
import { versionTableNames } from '../../projections/tables.ts'
import { type ClosedTick, createTickReader } from '../../projections/tick-reader.ts'
import type { ChainADerivedRecord } from '../../schemas/chain-a/derived.ts'
import { chainAPartitionCount } from '../../schemas/topics.ts'
import {
  address,
  buildBurst,
  buildBuyers,
  buildCurve,
  buildLp,
  buildMinute,
  buildOutcome,
  buildPoolOpened,
  buildProfile,
  buildRestated,
  buildWithdrawn,
  createDerivedLog,
  type DerivedLog,
  noonMs,
  poolId,
} from '../projections/derived-log.ts'
import { writeMarket } from '../projections/market.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const all = { tier: 'all', lp: 'all' } as const
const logger = pino({ level: 'silent' })
const name = 'projections'

export function describeProjections(
  adapter: string,
  open: () => Promise<Omit<DatabaseOptions, 'role' | 'name'>>,
): void {
  describe(`projections (${adapter})`, () => {
    let options: Omit<DatabaseOptions, 'role' | 'name'>
    let writer: Database
    let reader: Database
    let views: ChainAViews

    before(async () => {
      options = await open()
      writer = await createDatabase({ ...options, name, role: 'writer' })
      reader = await createDatabase({ ...options, name, role: 'reader' })
      views = createChainAViews({ database: reader, gridMs: 1000 })
    })

    after(() => Promise.all([writer.close(), reader.close()]))

    const empty = async () => {
      for (const table of [...versionTableNames, 'watermarks'])
        await writer.command(`TRUNCATE TABLE IF EXISTS ${table}`)
    }
    afterEach(empty)

    const project = ({ log, registry }: DerivedLog, limits?: BatchLimits, database = writer) =>
      projectToEnd({
        log,
        registry,
        database,
        logger,
        signal: new AbortController().signal,
        ...(limits ? { limits } : {}),
      })

    const newestCut = async (): Promise<Cut> => {
      const cut = await views.newestCut()
      expect(cut, 'a cut').not.equal(null)
      return cut as Cut
    }

    const answersAt = async (cut: Cut) => ({
      live: await views.burstsLive(cut, { ...all, minutes: 240 }),
      history: await views.burstsHistory(cut, { ...all, hours: 24 }),
      latest: await views.latestBurst(cut, all),
      pools: await views.poolsNew(cut, { hours: 24, limit: 1000 }),
      flow: await views.poolFlow(cut, poolId(1)),
      counts: await views.counts(cut),
    })

    it('has no cut before every partition is projected', async () => {
      expect(await views.newestCut(), 'without tables').to.equal(null)
      const derived = await createDerivedLog()
      await project(derived)
      expect(await views.newestCut(), 'with empty tables').to.equal(null)
      expect(await views.cutAt(noonMs)).to.equal(null)
    })

    it('cuts at the newest instant of the grid that no later tick can carry', async () => {
      const derived = await createDerivedLog()
      await derived.tick(noonMs + 1100, [], { ethUsd: 1999.99, blockAtMs: noonMs })
      await derived.tick(noonMs + 3000)
      await project(derived)
      expect(await newestCut()).to.deep.equal({
        atMs: noonMs + 2000,
        blockNumber: 10,
        blockAtMs: noonMs,
        ethUsd: 1999.99,
        ethUsdAtMs: noonMs - 1000,
        source: 'simulated',
      })
      await derived.tick(noonMs + 3000)
      await project(derived)
      expect((await newestCut()).atMs).to.equal(noonMs + 2000)
      await derived.tick(noonMs + 3001)
      await project(derived)
      expect(await newestCut()).to.include({ atMs: noonMs + 3000, blockNumber: 30 })
      expect(await views.cutAt(noonMs + 1099)).to.equal(null)
      expect(await views.cutAt(noonMs + 1100)).to.include({ blockNumber: 10 })
      expect(await views.cutAt(noonMs + 3001)).to.equal(null)
    })

    it('shows a burst as it was known at each cut', async () => {
      const derived = await createDerivedLog()
      await derived.tick(noonMs + 100, [
        [address(1), buildPoolOpened()],
        [address(1), buildBurst()],
      ])
      await derived.tick(noonMs + 5100, [
        [address(1), buildBuyers()],
        [address(1), buildLp()],
      ])
      await derived.tick(noonMs + 30 * minuteMs + 50, [
        [address(1), buildOutcome({ rug: { atSec: 90, lpRemoved: 0.95 } })],
      ])
      await derived.tick(noonMs + 40 * minuteMs)
      await project(derived)
      const at = async (atMs: number) =>
        (await views.burstsLive((await views.cutAt(atMs)) as Cut, { ...all, minutes: 60 }))[0]
      const signal = {
        token: address(1),
        pool: poolId(1),
        tier: 'main',
        atMs: noonMs,
        dex: 'v4',
        shape: 'other',
        inflowEth: Number(1234567890123456789n) / 1e18,
        buys: 14,
        sells: 2,
        windowSec: 60,
        poolAgeMin: 30,
        sameSizeMax: 3,
        top3Share: 0.51,
        sizeCv: 0.7,
        supersedesAtMs: null,
        knownAtMs: noonMs + 100,
        publishedAtMs: noonMs + 107,
      }
      const early = { buyers: null, repeatBuyers: null, lp: null, outcome: null }
      expect(await at(noonMs + 5099)).to.deep.equal({ ...signal, ...early })
      const { pool: _pool, tier: _tier, atMs: _atMs, ...lp } = buildLp().data
      expect(await at(noonMs + 5100)).to.deep.equal({ ...signal, buyers: 2, repeatBuyers: 0, lp, outcome: null })
      expect(await at(noonMs + 31 * minuteMs)).to.deep.equal({
        ...signal,
        buyers: 2,
        repeatBuyers: 0,
        lp,
        outcome: {
          scoredAtMs: noonMs + 30 * minuteMs + 50,
          ret30m: 0.1 + 0.2,
          peakRet: 1.5,
          ruleRet: -0.17,
          exits: [
            { rule: 'hold', ret: 0.25, why: 'held', sec: null },
            { rule: 'live', ret: -0.17, why: 'burst_fade', sec: 61 },
          ],
          rug: { atSec: 90, lpRemoved: 0.95 },
        },
      })
    })

    it('filters by tier and by score, newest first, and finds the latest burst of the day', async () => {
      const derived = await createDerivedLog()
      const fire = (number: number, tier: 'main' | 'lite', atMs: number) =>
        [address(number), buildBurst({ pool: poolId(number), tier, atMs })] as const
      await derived.tick(noonMs, [fire(1, 'main', noonMs), fire(1, 'lite', noonMs), fire(2, 'lite', noonMs)])
      await derived.tick(noonMs + 1000, [fire(3, 'lite', noonMs + 500)])
      await derived.tick(noonMs + 3 * hourMs, [[address(2), buildOutcome({ pool: poolId(2), tier: 'lite' })]])
      await derived.tick(noonMs + 3 * hourMs + 1)
      await project(derived)
      const early = (await views.cutAt(noonMs + 1000)) as Cut
      const names = (rows: readonly { pool: string; tier: string }[]) =>
        rows.map(({ pool, tier }) => `${Number(pool)} ${tier}`)
      expect(names(await views.burstsLive(early, { ...all, minutes: 1 }))).to.deep.equal([
        '3 lite',
        '1 lite',
        '1 main',
        '2 lite',
      ])
      expect(names(await views.burstsLive(early, { tier: 'main', lp: 'all', minutes: 1 }))).to.deep.equal(['1 main'])
      expect(await views.burstsLive(early, { tier: 'all', lp: 'safe', minutes: 1 })).to.deep.equal([])
      const late = (await views.cutAt(noonMs + 3 * hourMs)) as Cut
      expect(await views.burstsLive(late, { ...all, minutes: 60 })).to.deep.equal([])
      expect((await views.latestBurst(late, all))?.pool).to.equal(poolId(3))
      expect((await views.latestBurst(late, { tier: 'main', lp: 'all' }))?.pool).to.equal(poolId(1))
      expect(await views.latestBurst(late, { tier: 'old', lp: 'all' })).to.equal(null)
      expect(await views.latestBurst(late, { tier: 'all', lp: 'held' })).to.equal(null)
      expect(names(await views.burstsHistory(late, { ...all, hours: 24 }))).to.deep.equal(['2 lite'])
      expect(await views.burstsHistory(late, { tier: 'main', lp: 'all', hours: 24 })).to.deep.equal([])
      expect(await views.counts(late)).to.deep.equal({ bursts24h: 4, poolsTracked: 0 })
    })

    it('filters by who holds the liquidity, as it was known at each cut', async () => {
      const derived = await createDerivedLog()
      const fire = (number: number) => [address(number), buildBurst({ pool: poolId(number) })] as const
      const lp = (number: number, fields: Parameters<typeof buildLp>[0]) =>
        [address(number), buildLp({ pool: poolId(number), ...fields })] as const
      await derived.tick(noonMs, [fire(1), fire(2), fire(3), fire(4)])
      await derived.tick(noonMs + 6000, [lp(1, {}), lp(2, { class: 'safe' }), lp(3, { class: 'unknown' })])
      await derived.tick(noonMs + 9000, [lp(1, { class: 'unknown', unknownShare: 0.75, insiderShare: 0 })])
      await derived.tick(noonMs + 12_000)
      await project(derived)
      const poolsAt = async (atMs: number, filter: 'all' | 'held' | 'safe') => {
        const rows = await views.burstsLive((await views.cutAt(atMs)) as Cut, { tier: 'all', lp: filter, minutes: 60 })
        return rows.map(({ pool }) => Number(pool))
      }
      expect(await poolsAt(noonMs + 5000, 'all')).to.deep.equal([1, 2, 3, 4])
      expect(await poolsAt(noonMs + 5000, 'held'), 'not read yet').to.deep.equal([])
      expect(await poolsAt(noonMs + 7000, 'held')).to.deep.equal([1])
      expect(await poolsAt(noonMs + 7000, 'safe')).to.deep.equal([2])
      expect(await poolsAt(noonMs + 9000, 'held'), 'the node named another owner').to.deep.equal([])
      expect(await poolsAt(noonMs + 9000, 'all')).to.deep.equal([1, 2, 3, 4])
    })

    it('checks a token by the newest profile of each v4 pool of the day, and by its curve until it is in a pool', async () => {
      const derived = await createDerivedLog()
      const created = { pool: poolId(2), createdAtMs: noonMs - hourMs }
      await derived.tick(noonMs, [
        [address(1), buildProfile()],
        [address(1), buildProfile({ ...created, class: 'safe', checkedAtMs: noonMs - hourMs })],
        [address(1), buildProfile({ pool: poolId(3), createdAtMs: noonMs - 25 * hourMs })],
        [address(2), buildProfile({ pool: poolId(4) })],
        [address(3), buildPoolOpened({ pool: address(3), dex: 'v3' })],
        [address(4), buildCurve()],
        [address(5), buildCurve({ curve: address(0xc5), launchAtMs: null, completed: true })],
        [address(6), buildCurve({ curve: address(0xc6), readAtMs: noonMs - 169 * hourMs })],
      ])
      await derived.tick(noonMs + 1000, [
        [
          address(1),
          buildProfile({ ...created, class: 'empty', insiderShare: 0, burnedShare: 0, checkedAtMs: noonMs }),
        ],
        [address(4), buildCurve({ completed: true, gradBlock: 99 })],
      ])
      await derived.tick(noonMs + 3000)
      await project(derived)
      const at = async (atMs: number, number: number) =>
        views.rugCheck((await views.cutAt(atMs)) as Cut, address(number))
      const classes = async (atMs: number) =>
        (await at(atMs, 1))?.profiles.map((profile) => [Number(profile.pool), profile.class])
      expect(await classes(noonMs)).to.deep.equal([
        [2, 'safe'],
        [1, 'held'],
      ])
      expect(await classes(noonMs + 1000)).to.deep.equal([
        [2, 'empty'],
        [1, 'held'],
      ])
      expect((await at(noonMs, 1))?.profiles[1]).to.deep.equal({ ...buildProfile().data })
      expect(await at(noonMs, 3)).to.deep.equal({ profiles: [], v3PoolCount: 1, curve: null })
      expect((await at(noonMs, 4))?.curve).to.deep.equal({
        curve: address(0xc0),
        launchpad: 'pons-v2',
        isCompleted: false,
        symbol: 'TEST',
        creator: address(0xc),
        launchBlock: 60,
        launchAtMs: noonMs - 30 * minuteMs,
        graduationEth: 4.2,
        reserveEth: 2.1,
        progress: 0.5,
        // 1.68 and 2.1 ETH are x = 3.78; x² / 1.68 by hand.
        marketCapEth: 8.505,
        feeBps: 200,
        readBlock: 77,
        readAtMs: noonMs,
      })
      expect(await at(noonMs + 1000, 4), 'in a pool now').to.equal(null)
      expect((await at(noonMs, 5))?.curve).to.include({ isCompleted: true, launchAtMs: null })
      expect(await at(noonMs, 6), 'idle for more than a week').to.equal(null)
      expect(await views.rugCheck((await views.cutAt(noonMs)) as Cut, "' OR 1 = 1 --")).to.equal(null)
    })

    it('lists the wallets of several burst windows of the last 30 days, most first', async () => {
      const derived = await createDerivedLog()
      const dayMs = 24 * hourMs
      const w = (...numbers: number[]) => numbers.map((number) => address(100 + number))
      const windows: readonly (readonly [number, number, readonly `0x${string}`[]])[] = [
        [1, noonMs - 30 * dayMs, w(1, 2)],
        [2, noonMs - 3 * dayMs, w(1, 2, 3, 3)],
        [3, noonMs - 2 * dayMs, w(1, 2, 3)],
        [4, noonMs - dayMs, w(1, 2, 4)],
        [5, noonMs - hourMs, w(2, 3)],
      ]
      for (const [number, atMs, wallets] of windows)
        await derived.tick(Math.max(noonMs - dayMs, atMs), [
          [address(number), buildBuyers({ pool: poolId(number), tier: number === 3 ? 'old' : 'main', atMs, wallets })],
        ])
      await derived.tick(noonMs)
      await derived.tick(noonMs + 2000)
      await project(derived)
      const cut = (await views.cutAt(noonMs)) as Cut
      expect(await views.crews(cut, { minBursts: 3, limit: 25 })).to.deep.equal({
        walletsTracked: 4,
        crews: [
          { wallet: address(102), bursts: 4, lastSeenAtMs: noonMs - hourMs },
          { wallet: address(103), bursts: 3, lastSeenAtMs: noonMs - hourMs },
          { wallet: address(101), bursts: 3, lastSeenAtMs: noonMs - dayMs },
        ],
      })
      expect((await views.crews(cut, { minBursts: 4, limit: 25 })).crews).to.have.length(1)
      expect((await views.crews(cut, { minBursts: 3, limit: 2 })).crews).to.have.length(2)
    })

    it('says how the bursts of the last day ended, by who held their liquidity', async () => {
      const derived = await createDerivedLog()
      const rug = { atSec: 90, lpRemoved: 0.95 }
      const day: readonly (readonly [number, 'held' | 'safe' | 'unknown' | null, number | null, boolean])[] = [
        [1, 'held', -1.02, true],
        [2, 'held', 0.5, false],
        [3, 'held', null, false],
        [4, 'safe', 0.1, false],
        [5, 'unknown', -1.02, true],
        [6, null, 0.3, false],
      ]
      await derived.tick(
        noonMs,
        day.flatMap(([number, lpClass, ret, isPulled]) => {
          const key = { pool: poolId(number), tier: 'lite', atMs: noonMs } as const
          return [
            [address(number), buildBurst(key)] as const,
            ...(lpClass === null ? [] : [[address(number), buildLp({ ...key, class: lpClass })] as const]),
            ...(ret === null
              ? []
              : [
                  [
                    address(number),
                    buildOutcome({ ...key, ret30m: ret, ruleRet: -ret, rug: isPulled ? rug : null }),
                  ] as const,
                ]),
          ]
        }),
      )
      await derived.tick(noonMs + 2000)
      await project(derived)
      const none = await createDerivedLog()
      expect(await views.lastDay((await views.cutAt(noonMs)) as Cut)).to.deep.equal({
        bursts: 6,
        scored: 5,
        medianRet30m: 0.1,
        medianRuleRet: -0.1,
        checked: 5,
        held: 3,
        heldScored: 2,
        heldPulled: 1,
        safe: 1,
        safeScored: 1,
        safePulled: 0,
      })
      await empty()
      await none.tick(noonMs)
      await none.tick(noonMs + 2000)
      await project(none)
      expect(await views.lastDay((await views.cutAt(noonMs)) as Cut)).to.include({
        bursts: 0,
        scored: 0,
        medianRet30m: null,
        checked: 0,
      })
    })

    it('counts the buyers seen in earlier bursts whose buyers were known by then', async () => {
      const derived = await createDerivedLog()
      const dayMs = 24 * hourMs
      const w = (...numbers: number[]) => numbers.map((number) => address(100 + number))
      const buyers = (
        number: number,
        tier: 'main' | 'lite' | 'refire' | 'old',
        [atMs, wallets]: readonly [number, `0x${string}`[]],
      ) => [address(number), buildBuyers({ pool: poolId(number), tier, atMs, wallets })] as const
      await derived.tick(noonMs - 31 * dayMs, [buyers(9, 'main', [noonMs - 30 * dayMs - 1, w(1)])])
      await derived.tick(noonMs - 30 * dayMs, [buyers(9, 'old', [noonMs - 30 * dayMs, w(2)])])
      await derived.tick(noonMs - 1000, [buyers(8, 'refire', [noonMs - 9000, w(2, 3)])])
      await derived.tick(noonMs, [[address(1), buildBurst()]])
      await derived.tick(noonMs + 6000, [buyers(1, 'main', [noonMs, w(1, 2, 3, 4, 5)])])
      await derived.tick(noonMs + 6001, [buyers(7, 'main', [noonMs - 1, w(4)]), buyers(6, 'main', [noonMs + 1, w(5)])])
      await derived.tick(noonMs + 9000)
      await project(derived)
      const [row] = await views.burstsLive(await newestCut(), { ...all, minutes: 60 })
      expect(row).to.include({ buyers: 5, repeatBuyers: 2 })
    })

    it('shows pools youngest first, with and without swaps', async () => {
      const derived = await createDerivedLog()
      await derived.tick(noonMs, [
        [address(1), buildPoolOpened({ createdAtMs: noonMs - 2 * hourMs })],
        [address(2), buildPoolOpened({ pool: poolId(2), createdAtMs: noonMs - hourMs, px: 7e-20 })],
        [address(3), buildPoolOpened({ pool: address(3), dex: 'v3', createdAtMs: noonMs - 60, px: null })],
        [address(4), buildPoolOpened({ pool: poolId(4), createdAtMs: noonMs - 25 * hourMs })],
        [address(1), buildMinute({ minuteAtMs: noonMs - hourMs, buyWei: 5n, buys: 9 })],
        [
          address(1),
          buildMinute({
            minuteAtMs: noonMs - 59 * minuteMs,
            buyWei: 3n * 10n ** 17n + 1n,
            buys: 2,
            sells: 1,
            sellWei: 10n ** 17n,
            lastPx: 3e-24,
            lastSwapAtMs: noonMs - 58.5 * minuteMs,
            liqEth: 4.5,
          }),
        ],
        [address(1), buildBurst({ tier: 'lite', atMs: noonMs - 3000 })],
        [address(1), buildBurst({ tier: 'main', atMs: noonMs - 2000 })],
      ])
      await derived.tick(noonMs + 1)
      await project(derived)
      const cut = await newestCut()
      const rows = await views.poolsNew(cut, { hours: 24, limit: 1000 })
      expect(rows).to.deep.equal([
        {
          pool: poolId(2),
          dex: 'v4',
          token: address(2),
          createdBlock: 5,
          createdAtMs: noonMs - hourMs,
          lastPx: 7e-20,
          liqEth: 0,
          lastSwapAtMs: noonMs - hourMs,
          net60mEth: 0,
          buys60m: 0,
          sells60m: 0,
          fired: [],
        },
        {
          pool: poolId(1),
          dex: 'v4',
          token: address(1),
          createdBlock: 5,
          createdAtMs: noonMs - 2 * hourMs,
          lastPx: 3e-24,
          liqEth: 4.5,
          lastSwapAtMs: noonMs - 58.5 * minuteMs,
          net60mEth: Number(200000000000000001n) / 1e18,
          buys60m: 2,
          sells60m: 1,
          fired: ['main', 'lite'],
        },
      ])
      expect(await views.poolsNew(cut, { hours: 1, limit: 1000 })).to.deep.equal([])
      expect((await views.poolsNew(cut, { hours: 24, limit: 1 })).map(({ pool }) => pool)).to.deep.equal([poolId(2)])
      expect(await views.poolFlow(cut, address(3)), 'a v3 pool without a price').to.equal(null)
      expect(await views.counts(cut)).to.deep.equal({ bursts24h: 2, poolsTracked: 2 })
    })

    it('shows the flow of a pool as 60 minutes, empty ones too, the running minute last', async () => {
      const derived = await createDerivedLog()
      await writeMarket(derived)
      await project(derived)
      const cut = await newestCut()
      const flow = await views.poolFlow(cut, poolId(1))
      expect(flow?.minutes.map(({ minuteAtMs }) => minuteAtMs)).to.deep.equal(
        Array.from({ length: 60 }, (_, index) => noonMs + (index + 1) * minuteMs),
      )
      expect(flow?.minutes[23]).to.deep.equal({
        minuteAtMs: noonMs + 24 * minuteMs,
        netEth: 0.98,
        buyEth: 1,
        sellEth: 0.02,
        buys: 7,
        sells: 0,
      })
      expect(flow?.minutes[59]).to.deep.equal({
        minuteAtMs: noonMs + 60 * minuteMs,
        netEth: 0,
        buyEth: 0,
        sellEth: 0,
        buys: 0,
        sells: 0,
      })
      expect(flow?.bursts.map(({ atMs }) => atMs)).to.deep.equal([noonMs + 24 * minuteMs])
      expect(flow?.pool.buys60m).to.equal(flow?.minutes.reduce((sum, { buys }) => sum + buys, 0))
      expect(await views.poolFlow(cut, poolId(4))).to.equal(null)
      expect(await views.poolFlow(cut, "' OR 1 = 1 --")).to.equal(null)
      expect((await views.poolFlow(cut, poolId(3)))?.pool).to.include({ lastPx: 1.5e-24, buys60m: 0 })
    })

    it('answers alike in batches of 1, 7 and 1000 ticks, and after a rebuild', async () => {
      const derived = await createDerivedLog()
      await writeMarket(derived)
      await project(derived, { tickCountMax: 1000, rowCountMax: 1000 })
      const cut = await newestCut()
      const expected = await answersAt(cut)
      expect(expected.live).to.have.length(2)
      for (const tickCountMax of [1, 7]) {
        await empty()
        await project(derived, { tickCountMax, rowCountMax: 1000 })
        expect(await answersAt(cut), `${tickCountMax}`).to.deep.equal(expected)
      }
      await writer.command('TRUNCATE TABLE bursts')
      await rebuildProjections({
        ...derived,
        logger,
        signal: new AbortController().signal,
        database: { ...options, name },
      })
      expect(await answersAt(cut), 'rebuilt').to.deep.equal(expected)
    })

    it('keeps the answer of an old cut when later versions arrive', async () => {
      const derived = await createDerivedLog()
      await writeMarket(derived)
      await project(derived)
      const cut = await newestCut()
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
      await project(derived)
      expect(await answersAt(cut)).to.deep.equal(before)
      expect((await answersAt(await newestCut())).counts).to.deep.equal({ bursts24h: 3, poolsTracked: 4 })
    })

    it('takes a reverted burst out of every answer and keeps it under its old cuts', async () => {
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
      await project(derived)
      const at = async (atMs: number) => {
        const cut = (await views.cutAt(atMs)) as Cut
        const [bursts, flow, { poolsTracked }] = await Promise.all([
          views.burstsLive(cut, { ...all, minutes: 60 }),
          views.poolFlow(cut, poolId(1)),
          views.counts(cut),
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
          [3000, 14, 3, 0],
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
          [3000, 14, 3, 0],
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

    it('holds each row once, wherever a sink was killed', async () => {
      const derived = await createDerivedLog()
      await writeMarket(derived)
      const rowCounts = async () =>
        Promise.all(
          versionTableNames.map(
            async (table) => (await reader.query<{ n: string }>(`SELECT count() AS n FROM ${table}`))[0]?.n,
          ),
        )
      await project(derived)
      const expected = await rowCounts()
      for (let insertsBeforeDeath = 0; insertsBeforeDeath < 7; insertsBeforeDeath++) {
        await empty()
        let left = insertsBeforeDeath
        const dying: Database = {
          ...writer,
          // It dies after its insert has arrived: what is worst for whoever repeats it.
          insert: async (insert) => {
            if (left-- === 0) throw new Error('killed')
            await writer.insert(insert)
          },
        }
        const death = await project(derived, { tickCountMax: 10, rowCountMax: 1000 }, dying).catch((error) => error)
        expect(death).to.be.an('error').with.property('message', 'killed')
        await derived.tick(noonMs + 2 * hourMs + insertsBeforeDeath)
        expected[versionTableNames.indexOf('ticks')] = String(Number(expected[versionTableNames.indexOf('ticks')]) + 1)
        // Other limits, and more in the log than before: the batch cut short must still be the same.
        await project(derived, { tickCountMax: 33, rowCountMax: 1000 })
        expect(await rowCounts(), `killed at insert ${insertsBeforeDeath}`).to.deep.equal(expected)
      }
    })

    it('writes a batch again, with the same bounds, when its acknowledgement was lost', async () => {
      const derived = await createDerivedLog()
      await derived.tick(noonMs, [[address(1), buildBurst()]])
      await project(await createDerivedLog())
      let isLost = false
      const forgetful: Database = {
        ...writer,
        insert: async (insert) => {
          await writer.insert(insert)
          if (isLost || insert.table !== 'bursts') return
          isLost = true
          throw new OperationError('database_failed', 'lost', { context: { isRetryable: true } })
        },
      }
      await project(derived, undefined, forgetful)
      expect(await reader.query('SELECT count() AS n FROM bursts')).to.deep.equal([{ n: '1' }])
      expect(await reader.query('SELECT count() AS n FROM ticks')).to.deep.equal([{ n: '1' }])
    })

    it('counts equal rows of two batches twice, and a batch written again once, by its token alone', async () => {
      await project(await createDerivedLog())
      const derived = await createDerivedLog()
      await derived.tick(noonMs, [[address(1), buildBurst()]])
      const codec = await createSchemaCodec<ChainADerivedRecord>('chain-a-derived', derived.registry)
      const partition = partitionOf(address(1), chainAPartitionCount)
      const source = { log: derived.log, codec, topic: 'chain-a-derived' } as const
      const first = (await createTickReader(source, partition, 0).next()) as ClosedTick
      const second = { ...first, tick: { ...first.tick, seq: first.tick.seq + 1 } }
      const batchOf = (tick: ClosedTick): Batch => ({
        topic: 'chain-a-derived',
        parts: [{ partition, ticks: [tick] }],
      })
      const countAfter = async (ticks: readonly ClosedTick[], database: Database) => {
        await empty()
        for (const tick of ticks) await writeBatch(database, batchOf(tick))
        return Number((await reader.query<{ n: string }>('SELECT count() AS n FROM bursts'))[0]?.n)
      }
      expect(await countAfter([first, second], writer)).to.equal(2)
      expect(await countAfter([first, second, second, first], writer)).to.equal(2)
      // Without it the engine goes by what a block holds, and takes the second for the first again.
      const tokenless: Database = { ...writer, insert: ({ token: _, ...insert }) => writer.insert(insert) }
      expect(await countAfter([first, second], tokenless)).to.equal(1)
    })

    it('goes on where it stood as the log grows, and stops when told', async () => {
      const derived = await createDerivedLog()
      const stop = new AbortController()
      const seen: number[] = []
      let wake = () => {}
      const run = runProjections({
        ...derived,
        database: writer,
        logger,
        signal: stop.signal,
        flushIntervalMs: 0,
        onProgress: ({ seq }) => {
          seen.push(seq)
          wake()
        },
      })
      for (let seq = 1; seq <= 3; seq++) {
        const written = new Promise<void>((resolve) => {
          wake = resolve
        })
        await derived.tick(noonMs + seq * 1000)
        await written
      }
      stop.abort()
      await run
      expect(seen).to.deep.equal([1, 2, 3])
      expect((await newestCut()).atMs).to.equal(noonMs + 2000)
    })

    it('halts at a derived record that cannot be read, naming its place', async () => {
      const derived = await createDerivedLog()
      await derived.tick(noonMs)
      const { endOffset: offset } = await derived.log.bounds('chain-a-derived', 2)
      await derived.append([
        { topic: 'chain-a-derived', partition: 2, key: 'x', value: Buffer.from([0, 0, 0, 0, 1, 9]) },
      ])
      await derived.tick(noonMs + 1000)
      const error = await project(derived).catch((failure) => failure)
      expect(error).to.include({ code: 'record_corrupt' })
      expect(error.message).to.contain(`chain-a-derived, partition 2, offset ${offset} `)
    })
  })
}
