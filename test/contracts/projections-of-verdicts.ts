/** Tests the data that the verdict about a token needs, as the service knew it at a given time. */
import { expect } from 'chai'
import { rugCheckPoolsMax } from '../../schemas/chain-a/rug-check.ts'
import { buildPrecall, buildPrecallBuyers } from '../projections/calls/derived-log.ts'
import { buildDeskOpened, buildDeskShadow, buildDeskTrade } from '../projections/chain-b/derived-log.ts'
import {
  address,
  buildBurst,
  buildCurve,
  buildOutcome,
  buildPoolOpened,
  buildProfile,
  buildWithdrawn,
  createDerivedLog,
  noonMs,
  poolId,
  type TokenRecord,
} from '../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs, type Tables } from './projections-tables.ts'

export function verdictAnswers(tables: Tables): void {
  const at = async (atMs: number, number = 1) => tables.queries.verdict(await tables.cutAt(atMs), address(number))
  const rug = { atSec: 60, lpRemoved: 0.875 }
  const of = (number: number, ...records: readonly TokenRecord[1][]): readonly TokenRecord[] =>
    records.map((record) => [address(number), record] as const)

  /** A v4 pool, which is profiled from its creation on. */
  const opened = (pool: `0x${string}`, createdAtMs = noonMs): readonly TokenRecord[1][] => [
    buildPoolOpened({ pool, createdAtMs }),
    buildProfile({ pool, createdAtMs }),
  ]

  it('judges the liquidity of all v4 pools of the day by the newest profile of each', async () => {
    const derived = await createDerivedLog()
    const createdAtMs = noonMs - hourMs
    await derived.tick(
      noonMs,
      of(
        1,
        buildProfile({ class: 'safe', insiderShare: 0.25, checkedAtMs: noonMs - 5000 }),
        buildProfile({ pool: poolId(2), createdAtMs, class: 'safe', insiderShare: 0.125, checkedAtMs: noonMs - 9000 }),
        buildProfile({ pool: poolId(3), createdAtMs: noonMs - dayMs - 1000, insiderShare: 1 }),
        buildPoolOpened({ pool: address(9), dex: 'v3' }),
      ),
    )
    await derived.tick(noonMs + 1000, of(1, buildProfile({ pool: poolId(2), createdAtMs, insiderShare: 0.5 })))
    await derived.tick(noonMs + 3000)
    await tables.project(derived)
    const seen = { v4PoolCount: 2, v3PoolCount: 1, curve: null, isRugged: false, precall: null, token: address(1) }
    expect(await at(noonMs)).to.deep.include({
      ...{ ...seen, classes: ['safe'], insiderShare: 0.25, checkedAtMs: noonMs - 5000 },
    })
    expect(await at(noonMs + 1000)).to.deep.include({
      ...{ ...seen, classes: ['held', 'safe'], insiderShare: 0.5, checkedAtMs: noonMs },
    })
    expect(await at(noonMs, 2), 'nothing is known of it').to.equal(null)
    expect(await tables.queries.verdict(await tables.cutAt(noonMs), "' OR 1 = 1 --")).to.equal(null)
  })

  it('judges pools that a rug check does not list', async () => {
    const derived = await createDerivedLog()
    const profiles = Array.from({ length: rugCheckPoolsMax + 2 }, (_, index) =>
      buildProfile({
        ...{ pool: poolId(index + 1), createdAtMs: noonMs - hourMs + index },
        ...{ class: 'safe', insiderShare: index === rugCheckPoolsMax + 1 ? 0.375 : 0 },
      }),
    )
    await derived.tick(noonMs, of(1, ...profiles))
    await derived.tick(noonMs + 1000)
    await tables.project(derived)
    expect(await at(noonMs)).to.deep.include({ v4PoolCount: rugCheckPoolsMax + 2, insiderShare: 0.375 })
  })

  it('knows of a rug once the outcome is known, for a day after the signal, and not if the burst was withdrawn', async () => {
    const derived = await createDerivedLog()
    const scoredAtMs = noonMs + 30 * minuteMs
    await derived.tick(
      noonMs,
      [1, 2, 3].flatMap((number) => of(number, ...opened(poolId(number)), buildBurst({ pool: poolId(number) }))),
    )
    await derived.tick(scoredAtMs, [
      ...of(1, buildOutcome({ rug })),
      ...of(2, buildOutcome({ pool: poolId(2) })),
      ...of(3, buildOutcome({ pool: poolId(3), rug })),
    ])
    await derived.tick(
      scoredAtMs + 1000,
      of(3, buildWithdrawn({ pool: poolId(3) }), buildWithdrawn({ recordType: 'BurstOutcome', pool: poolId(3) })),
    )
    const nextDayMs = noonMs + dayMs - 1
    await derived.tick(nextDayMs, of(1, ...opened(poolId(11), nextDayMs)))
    await derived.tick(nextDayMs + 1)
    await derived.tick(nextDayMs + 2)
    await tables.project(derived)
    const isRugged = async (atMs: number, number: number) => (await at(atMs, number))?.isRugged
    expect(await isRugged(scoredAtMs - 1, 1), 'before it is scored').to.equal(false)
    expect(await isRugged(scoredAtMs, 1)).to.equal(true)
    expect(await isRugged(scoredAtMs, 2), 'scored without a rug').to.equal(false)
    expect(await isRugged(scoredAtMs, 3)).to.equal(true)
    expect(await isRugged(scoredAtMs + 1000, 3), 'withdrawn').to.equal(false)
    expect(await isRugged(nextDayMs, 1), 'a millisecond less than a day old').to.equal(true)
    expect(await isRugged(nextDayMs + 1, 1), 'a day old').to.equal(false)
  })

  it('tells the age by the oldest pool of the day, or by a launch that is older', async () => {
    const derived = await createDerivedLog()
    const inPool = { completed: true, gradBlock: 99 }
    await derived.tick(noonMs, [
      ...of(1, ...opened(poolId(1), noonMs - 5000)),
      ...of(1, buildPoolOpened({ pool: address(0xf3), dex: 'v3', px: null, createdAtMs: noonMs - hourMs })),
      ...of(1, buildPoolOpened({ pool: poolId(12), createdAtMs: noonMs - 25 * hourMs })),
      ...of(2, ...opened(poolId(2))),
      ...of(2, buildCurve({ ...inPool, launchAtMs: noonMs - 3 * dayMs, readAtMs: noonMs - 2 * dayMs })),
      ...of(3, ...opened(poolId(3)), buildCurve({ ...inPool, curve: address(0xc3), launchAtMs: null })),
      ...of(4, buildCurve({ curve: address(0xc4) })),
      ...of(5, buildCurve({ curve: address(0xc5), launchAtMs: null })),
    ])
    await derived.tick(noonMs + 1000)
    await tables.project(derived)
    const born = await Promise.all([1, 2, 3, 4, 5].map(async (number) => (await at(noonMs, number))?.bornAtMs))
    expect(born).to.deep.equal([noonMs - hourMs, noonMs - 3 * dayMs, noonMs, noonMs - 30 * minuteMs, null])
    expect((await at(noonMs, 4))?.curve).to.include({ progress: 0.5, reserveEth: 2.1, creator: address(0xc) })
  })

  it('tells what came before the newest call of two days, with its wallets no earlier than 5 s after the post', async () => {
    const derived = await createDerivedLog()
    const endMs = noonMs + 2 * dayMs
    await derived.tick(noonMs + 1000, [
      ...of(1, ...opened(poolId(1)), buildPrecall({ postedAtMs: noonMs - dayMs, flags: [] }), buildPrecall()),
      ...of(1, buildPrecallBuyers()),
      ...of(2, ...opened(poolId(2)), buildPrecall({ isTracked: false, run60: null, buys: 0 })),
    ])
    await derived.tick(noonMs + 5000)
    await derived.tick(endMs - 1, of(1, ...opened(poolId(3), endMs - 1)))
    await derived.tick(endMs)
    await derived.tick(endMs + 1)
    await tables.project(derived)
    const seen = {
      ...{ postedAtMs: noonMs, isTracked: true, buys: 6, buyEth: 1.5, run60: 3.5, ageAtCallMs: 1_500_000 },
    }
    const unresolved = { wallets: null, sameBlockWallets: null, flags: ['run', 'young'] }
    const resolved = { wallets: 5, sameBlockWallets: 5, flags: ['run', 'young', 'cluster'] }
    expect((await at(noonMs + 1000))?.precall).to.deep.equal({ ...seen, ...unresolved })
    expect((await at(noonMs + 5000))?.precall).to.deep.equal({ ...seen, ...resolved })
    expect((await at(noonMs + 1000, 2))?.precall).to.deep.include({ isTracked: false, run60: null, wallets: null })
    expect((await at(endMs - 1))?.precall?.postedAtMs, 'a millisecond less than two days old').to.equal(noonMs)
    expect((await at(endMs))?.precall, 'two days old').to.equal(null)
  })

  it('tells no trade before it was closed, and no shadow before its hour is over', async () => {
    const derived = await createDerivedLog()
    const [openedAtMs, closedAtMs, overMs] = [noonMs + 3000, noonMs + 10 * minuteMs, noonMs + hourMs + 3001]
    await derived.tick(noonMs, of(1, ...opened(poolId(1))))
    await derived.tick(openedAtMs, of(1, buildDeskOpened({ openedAtMs })))
    await derived.tick(closedAtMs, of(1, buildDeskTrade({ openedAtMs, closedAtMs, ret: -1.02, exit: 'rug' })))
    await derived.tick(overMs, of(1, buildDeskShadow({ mae: -1 })))
    await derived.tick(overMs + 1000)
    await tables.project(derived)
    expect(await at(closedAtMs - 1)).to.deep.include({ lastTrade: null, shadows: [] })
    expect((await at(closedAtMs))?.lastTrade).to.include({ ret: -1.02, exit: 'rug', closedAtMs })
    expect((await at(overMs - 1))?.shadows).to.deep.equal([])
    expect((await at(overMs))?.shadows.map(({ mae }) => mae)).to.deep.equal([-1])
  })
}
