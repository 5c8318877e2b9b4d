/** Tests the answers about pools and about the minutes of pools. */
import { expect } from 'chai'
import {
  address,
  buildBurst,
  buildMinute,
  buildPoolOpened,
  createDerivedLog,
  noonMs,
  poolId,
} from '../projections/derived-log.ts'
import { writeMarket } from '../projections/market.ts'
import { hourMs, minuteMs, type Tables } from './projections-tables.ts'

export function poolAnswers(tables: Tables): void {
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
    await tables.project(derived)
    const cut = await tables.newestCut()
    const rows = await tables.queries.poolsNew(cut, { hours: 24, limit: 1000 })
    expect(rows).to.deep.equal([
      {
        pool: poolId(2),
        dex: 'v4',
        token: address(2),
        createdBlock: 5,
        createdAtMs: noonMs - hourMs,
        px: 7e-20,
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
        px: 1.5e-24,
        lastPx: 3e-24,
        liqEth: 4.5,
        lastSwapAtMs: noonMs - 58.5 * minuteMs,
        net60mEth: Number(200000000000000001n) / 1e18,
        buys60m: 2,
        sells60m: 1,
        fired: ['main', 'lite'],
      },
    ])
    expect(await tables.queries.poolsNew(cut, { hours: 1, limit: 1000 })).to.deep.equal([])
    expect((await tables.queries.poolsNew(cut, { hours: 24, limit: 1 })).map(({ pool }) => pool)).to.deep.equal([
      poolId(2),
    ])
    expect(await tables.queries.poolFlow(cut, address(3)), 'a v3 pool without a price').to.equal(null)
    expect(await tables.queries.counts(cut)).to.deep.equal({ bursts24h: 2, poolsTracked: 2 })
    const counted = (hours: number, limit = 1000) => tables.queries.poolsNewCounted(cut, { hours, limit })
    expect(await counted(24), 'that pool counted too').to.deep.equal({ pools: rows, created: 3 })
    expect(await counted(24, 1)).to.deep.equal({ pools: rows.slice(0, 1), created: 3 })
    expect(await counted(1)).to.deep.equal({ pools: [], created: 1 })
  })

  it('shows the pool of the later block first among those of one time', async () => {
    const derived = await createDerivedLog()
    const blocks = [7, 9, 8]
    await derived.tick(
      noonMs,
      blocks.map((createdBlock, index) => [
        address(index + 1),
        buildPoolOpened({ pool: poolId(index + 1), createdBlock }),
      ]),
    )
    await derived.tick(noonMs + 1)
    await tables.project(derived)
    const rows = await tables.queries.poolsNew(await tables.newestCut(), { hours: 24, limit: 2 })
    expect(rows.map(({ createdBlock }) => createdBlock)).to.deep.equal([9, 8])
  })

  it('shows every burst of a pool in its flow, one of the block that created the pool and one of the cut too', async () => {
    const derived = await createDerivedLog()
    const fired = [
      { tier: 'lite', atMs: noonMs },
      { tier: 'main', atMs: noonMs + minuteMs },
    ] as const
    await derived.tick(noonMs + minuteMs, [
      [address(1), buildPoolOpened({ createdAtMs: noonMs })],
      ...fired.map((burst) => [address(1), buildBurst(burst)] as const),
      [address(2), buildPoolOpened({ pool: poolId(2), createdAtMs: noonMs })],
    ])
    await derived.tick(noonMs + minuteMs + 1)
    await tables.project(derived)
    const cut = await tables.newestCut()
    const shown = async (pool: string) =>
      (await tables.queries.poolFlow(cut, pool))?.bursts.map(({ tier, atMs }) => ({ tier, atMs }))
    expect(await shown(poolId(1))).to.have.deep.members(fired)
    expect(await shown(poolId(2))).to.deep.equal([])
  })

  it('shows the flow of a pool as 60 minutes, empty ones too, the running minute last', async () => {
    const derived = await createDerivedLog()
    await writeMarket(derived)
    await tables.project(derived)
    const cut = await tables.newestCut()
    const flow = await tables.queries.poolFlow(cut, poolId(1))
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
      gaps: null,
    })
    expect(flow?.minutes[59]).to.deep.equal({
      minuteAtMs: noonMs + 60 * minuteMs,
      netEth: 0,
      buyEth: 0,
      sellEth: 0,
      buys: 0,
      sells: 0,
      gaps: null,
    })
    expect(flow?.bursts.map(({ atMs }) => atMs)).to.deep.equal([noonMs + 24 * minuteMs])
    expect(flow?.pool.buys60m).to.equal(flow?.minutes.reduce((sum, { buys }) => sum + buys, 0))
    expect(await tables.queries.poolFlow(cut, poolId(4))).to.equal(null)
    expect(await tables.queries.poolFlow(cut, "' OR 1 = 1 --")).to.equal(null)
    expect((await tables.queries.poolFlow(cut, poolId(3)))?.pool).to.include({ lastPx: 1.5e-24, buys60m: 0 })
  })
}
