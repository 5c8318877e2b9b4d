/** Tests the rug check of a token, and the list of crews (wallets that buy in several bursts). */
import { expect } from 'chai'
import { rugCheckPoolsMax } from '../../schemas/chain-a/rug-check.ts'
import {
  address,
  buildBuyers,
  buildCurve,
  buildMinute,
  buildPoolOpened,
  buildProfile,
  createDerivedLog,
  noonMs,
  poolId,
} from '../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs, type Tables } from './projections-tables.ts'

const noPools = { profiles: [], v4PoolCount: 0, classes: [], v3PoolCount: 0, curve: null }

export function tokenAnswers(tables: Tables): void {
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
      [address(1), buildProfile({ ...created, class: 'empty', insiderShare: 0, burnedShare: 0, checkedAtMs: noonMs })],
      [address(4), buildCurve({ completed: true, gradBlock: 99 })],
    ])
    await derived.tick(noonMs + 3000)
    await tables.project(derived)
    const at = async (atMs: number, number: number) =>
      tables.queries.rugCheck(await tables.cutAt(atMs), address(number))
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
    expect((await at(noonMs, 1))?.profiles[1]).to.deep.equal({ token: address(1), ...buildProfile().data })
    expect(await at(noonMs, 3)).to.deep.equal({ ...noPools, v3PoolCount: 1 })
    expect((await at(noonMs, 4))?.curve).to.deep.equal({
      token: address(4),
      curve: address(0xc0),
      launchpad: 'pons-v2',
      isCompleted: false,
      symbol: 'TEST',
      creator: address(0xc),
      launchBlock: 60,
      gradBlock: null,
      launchAtMs: noonMs - 30 * minuteMs,
      graduationWei: '4200000000000000000',
      graduationEth: 4.2,
      reserveWei: '2100000000000000000',
      reserveEth: 2.1,
      phantomWei: '1680000000000000000',
      supplyRaw: '1000000000000000000000000000',
      progress: 0.5,
      // x is the sum of the reserve and the phantom reserve: 2.1 + 1.68 = 3.78 ETH. The market cap is x² /
      // 1.68.
      marketCapEth: 8.505,
      feeBps: 200,
      readBlock: 77,
      readAtMs: noonMs,
    })
    expect(await at(noonMs + 1000, 4), 'in a pool now').to.equal(null)
    expect((await at(noonMs, 5))?.curve).to.include({ isCompleted: true, launchAtMs: null })
    expect(await at(noonMs, 6), 'idle for more than a week').to.equal(null)
    expect(await tables.queries.rugCheck(await tables.cutAt(noonMs), "' OR 1 = 1 --")).to.equal(null)
  })

  it('lists of too many pools those with the most ETH, and judges all of them', async () => {
    const derived = await createDerivedLog()
    const count = rugCheckPoolsMax + 3
    const numbers = Array.from({ length: count }, (_, index) => index + 1)
    const [riskyNumber, deepNumber] = [count - 2, count]
    const profiles = numbers.map((number) => {
      const createdAtMs = noonMs - hourMs + number
      const lpClass = number === riskyNumber ? 'held' : 'safe'
      return [address(1), buildProfile({ pool: poolId(number), createdAtMs, class: lpClass })] as const
    })
    const depths = [
      buildMinute({ pool: poolId(1), minuteAtMs: noonMs - hourMs, liqEth: 9 }),
      buildMinute({ pool: poolId(1), minuteAtMs: noonMs, liqEth: 0 }),
      ...numbers.slice(1, -1).map((number) => buildMinute({ pool: poolId(number), liqEth: 1 })),
      buildMinute({ pool: poolId(deepNumber), liqEth: 2 }),
    ].map((minute) => [address(1), minute] as const)
    await derived.tick(noonMs, profiles.slice(0, rugCheckPoolsMax))
    await derived.tick(noonMs + 1000, [...profiles.slice(rugCheckPoolsMax), ...depths])
    await derived.tick(noonMs + 3000)
    await tables.project(derived)
    const early = await tables.queries.rugCheck(await tables.cutAt(noonMs), address(1))
    expect(early?.profiles).to.have.length(rugCheckPoolsMax)
    expect(early).to.deep.include({ v4PoolCount: rugCheckPoolsMax, classes: ['safe'] })
    const check = await tables.queries.rugCheck(await tables.cutAt(noonMs + 1000), address(1))
    // The deepest pools are shown. Among pools with equal ETH, the oldest are shown. The first pool is empty,
    // so it is left out.
    const shown = [...numbers.slice(1, rugCheckPoolsMax), deepNumber]
    expect(check?.profiles.map(({ pool }) => Number(pool))).to.deep.equal(shown)
    expect(check?.profiles[0]).to.deep.equal({ token: address(1), ...profiles[1]?.[1].data })
    expect(check).to.deep.include({ v4PoolCount: count, classes: ['held', 'safe'] })
  })

  it('lists the wallets of several burst windows of the last 30 days, most first', async () => {
    const derived = await createDerivedLog()
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
    await tables.project(derived)
    const cut = await tables.cutAt(noonMs)
    expect(await tables.queries.crews(cut, { minBursts: 3, limit: 25 })).to.deep.equal({
      walletsTracked: 4,
      crews: [
        { wallet: address(102), bursts: 4, lastSeenAtMs: noonMs - hourMs },
        { wallet: address(103), bursts: 3, lastSeenAtMs: noonMs - hourMs },
        { wallet: address(101), bursts: 3, lastSeenAtMs: noonMs - dayMs },
      ],
    })
    expect((await tables.queries.crews(cut, { minBursts: 4, limit: 25 })).crews).to.have.length(1)
    expect((await tables.queries.crews(cut, { minBursts: 3, limit: 2 })).crews).to.have.length(2)
  })
}
