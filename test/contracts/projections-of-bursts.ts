/** Tests the answers about bursts, their outcomes and their buyers. */
import { expect } from 'chai'
import { burstAtSignal } from '../../projections/chain-a/queries/bursts.ts'
import {
  address,
  buildBurst,
  buildBuyers,
  buildLp,
  buildOutcome,
  buildPoolOpened,
  createDerivedLog,
  noonMs,
  poolId,
} from '../projections/derived-log.ts'
import { allBursts, dayMs, hourMs, minuteMs, type Tables } from './projections-tables.ts'

export function burstAnswers(tables: Tables): void {
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
    await tables.project(derived)
    const at = async (atMs: number) =>
      (await tables.queries.burstsLive(await tables.cutAt(atMs), { ...allBursts, minutes: 60 }))[0]
    const signal = {
      token: address(1),
      pool: poolId(1),
      tier: 'main',
      atMs: noonMs,
      dex: 'v4',
      shape: 'other',
      blockNumber: 77,
      blockHash: poolId(0xb10c),
      inflowWei: '1234567890123456789',
      inflowEth: Number(1234567890123456789n) / 1e18,
      buys: 14,
      sells: 2,
      windowSec: 60,
      poolCreatedAtMs: noonMs - 30 * minuteMs,
      poolAgeMin: 30,
      sameSizeMax: 3,
      top3Share: 0.51,
      sizeCv: 0.7,
      px: 1e-21,
      supersedesAtMs: null,
      knownAtMs: noonMs + 100,
      publishedAtMs: noonMs + 107,
      gaps: null,
    }
    const filledAt = (atMs: number) => ({ knownAtMs: noonMs + atMs, publishedAtMs: noonMs + atMs + 7 })
    const unfilled = { seconds: null, outcome: null }
    const early = { buyers: null, repeatBuyers: null, lp: null, outcome: null, filled: unfilled }
    expect(await at(noonMs + 5099)).to.deep.equal({ ...signal, ...early })
    const { knownAtMs, publishedAtMs } = signal
    const context = { topic: 'chain-a-derived', logKey: address(1), supersedesAtMs: null }
    const pushed = burstAtSignal(buildBurst().data, context, { knownAtMs, publishedAtMs })
    expect(pushed, 'without the tables').to.deep.equal({ ...signal, ...early })
    const { pool: _pool, tier: _tier, atMs: _atMs, ...lp } = buildLp().data
    expect(await at(noonMs + 5100)).to.deep.equal({
      ...{ ...signal, buyers: 2, repeatBuyers: 0, lp, outcome: null },
      filled: { seconds: filledAt(5100), outcome: null },
    })
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
      filled: { seconds: filledAt(5100), outcome: filledAt(30 * minuteMs + 50) },
    })
  })

  it('filters by tier and by score, newest first, and finds the latest burst of the day', async () => {
    const derived = await createDerivedLog()
    const fire = (number: number, tier: 'main' | 'lite', atMs: number) =>
      [address(number), buildBurst({ pool: poolId(number), tier, atMs })] as const
    await derived.tick(noonMs, [fire(1, 'main', noonMs), fire(1, 'lite', noonMs), fire(2, 'lite', noonMs)])
    await derived.tick(noonMs + 1000, [fire(3, 'lite', noonMs + 500)])
    await derived.tick(noonMs + 3 * hourMs, [[address(2), buildOutcome({ pool: poolId(2), tier: 'lite' })]])
    for (const laterMs of [3 * hourMs + 1, dayMs - 1, dayMs, dayMs + 499, dayMs + 500, dayMs + 501])
      await derived.tick(noonMs + laterMs)
    await tables.project(derived)
    const early = await tables.cutAt(noonMs + 1000)
    const names = (rows: readonly { pool: string; tier: string }[]) =>
      rows.map(({ pool, tier }) => `${Number(pool)} ${tier}`)
    expect(names(await tables.queries.burstsLive(early, { ...allBursts, minutes: 1 }))).to.deep.equal([
      '3 lite',
      '1 lite',
      '1 main',
      '2 lite',
    ])
    expect(names(await tables.queries.burstsLive(early, { tier: 'main', lp: 'all', minutes: 1 }))).to.deep.equal([
      '1 main',
    ])
    expect(await tables.queries.burstsLive(early, { tier: 'all', lp: 'safe', minutes: 1 })).to.deep.equal([])
    const late = await tables.cutAt(noonMs + 3 * hourMs)
    expect(await tables.queries.burstsLive(late, { ...allBursts, minutes: 60 })).to.deep.equal([])
    expect((await tables.queries.latestBurst(late, allBursts))?.pool).to.equal(poolId(3))
    expect((await tables.queries.latestBurst(late, { tier: 'main', lp: 'all' }))?.pool).to.equal(poolId(1))
    expect(await tables.queries.latestBurst(late, { tier: 'old', lp: 'all' })).to.equal(null)
    expect(await tables.queries.latestBurst(late, { tier: 'all', lp: 'held' })).to.equal(null)
    expect(names(await tables.queries.burstsHistory(late, { ...allBursts, hours: 24 }))).to.deep.equal(['2 lite'])
    expect(await tables.queries.burstsHistory(late, { tier: 'main', lp: 'all', hours: 24 })).to.deep.equal([])
    expect(await tables.queries.counts(late)).to.deep.equal({ bursts24h: 4, poolsTracked: 0 })
    for (const [laterMs, latest, scored, bursts24h] of [
      [dayMs - 1, '3 lite', ['2 lite'], 4],
      [dayMs, '3 lite', [], 1],
      [dayMs + 499, '3 lite', [], 1],
      [dayMs + 500, undefined, [], 0],
    ] as const) {
      const cut = await tables.cutAt(noonMs + laterMs)
      const found = await tables.queries.latestBurst(cut, allBursts)
      expect(found ? names([found])[0] : undefined, `${laterMs}`).to.equal(latest)
      expect(names(await tables.queries.burstsHistory(cut, { ...allBursts, hours: 24 }))).to.deep.equal(scored)
      expect(await tables.queries.counts(cut)).to.deep.equal({ bursts24h, poolsTracked: 0 })
      expect(await tables.queries.burstsLive(cut, { ...allBursts, minutes: 24 * 60 })).to.have.length(bursts24h)
    }
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
    await tables.project(derived)
    const poolsAt = async (atMs: number, filter: 'all' | 'held' | 'safe') => {
      const rows = await tables.queries.burstsLive(await tables.cutAt(atMs), { tier: 'all', lp: filter, minutes: 60 })
      return rows.map(({ pool }) => Number(pool))
    }
    expect(await poolsAt(noonMs + 5000, 'all')).to.deep.equal([1, 2, 3, 4])
    expect(await poolsAt(noonMs + 5000, 'held'), 'not read yet').to.deep.equal([])
    expect(await poolsAt(noonMs + 7000, 'held')).to.deep.equal([1])
    expect(await poolsAt(noonMs + 7000, 'safe')).to.deep.equal([2])
    expect(await poolsAt(noonMs + 9000, 'held'), 'the node named another owner').to.deep.equal([])
    expect(await poolsAt(noonMs + 9000, 'all')).to.deep.equal([1, 2, 3, 4])
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
    await tables.project(derived)
    const none = await createDerivedLog()
    expect(await tables.queries.lastDay(await tables.cutAt(noonMs))).to.deep.equal({
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
    await tables.empty()
    await none.tick(noonMs)
    await none.tick(noonMs + 2000)
    await tables.project(none)
    expect(await tables.queries.lastDay(await tables.cutAt(noonMs))).to.include({
      bursts: 0,
      scored: 0,
      medianRet30m: null,
      checked: 0,
    })
  })

  it('counts the buyers seen in earlier bursts whose buyers were known within a minute', async () => {
    const derived = await createDerivedLog()
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
    await derived.tick(noonMs + 66_001, [buyers(7, 'main', [noonMs - 1, w(4)]), buyers(6, 'main', [noonMs + 1, w(5)])])
    await derived.tick(noonMs + 69_000)
    await tables.project(derived)
    const [row] = await tables.queries.burstsLive(await tables.newestCut(), { ...allBursts, minutes: 60 })
    expect(row).to.include({ buyers: 5, repeatBuyers: 2 })
  })
}
