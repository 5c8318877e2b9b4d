/** Tests the prices of a token and the chats that named it, as the page of a token shows them. */
import { expect } from 'chai'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import { buildCall, createCallsLog } from '../projections/calls/derived-log.ts'
import { mint } from '../projections/chain-b/derived-log.ts'
import {
  address,
  buildMinute,
  buildPoolOpened,
  buildTradeGap,
  buildWithdrawn,
  createDerivedLog,
  noonMs,
  poolId,
} from '../projections/derived-log.ts'
import { callsCutAt, callsQueriesOf } from './projections-of-calls.ts'
import { dayMs, hourMs, minuteMs, type Tables } from './projections-tables.ts'

export function tokenPriceAnswers(tables: Tables): void {
  const pricesAt = async (atMs: number, hours = 24) =>
    createChainAQueries({ database: tables.reader }).tokenPrices(await tables.cutAt(atMs), { token: address(1), hours })

  it('has the prices of a token in the pool with the most ETH, oldest first', async () => {
    const derived = await createDerivedLog()
    const open = (number: number, fields: object = {}) =>
      [address(1), buildPoolOpened({ pool: poolId(number), ...fields })] as const
    const minute = (number: number, fields: Parameters<typeof buildMinute>[0]) =>
      [address(1), buildMinute({ pool: poolId(number), ...fields })] as const
    await derived.tick(noonMs, [
      open(1),
      open(2),
      open(3, { px: null }),
      [address(2), buildPoolOpened({ pool: poolId(9) })],
    ])
    await derived.tick(noonMs + 3 * minuteMs, [
      minute(1, { minuteAtMs: noonMs + 2 * minuteMs, lastPx: 3e-24, liqEth: 1 }),
      minute(1, { minuteAtMs: noonMs, lastPx: 1e-24, liqEth: 9 }),
      minute(1, { minuteAtMs: noonMs + minuteMs, lastPx: null, liqEth: 9 }),
      minute(2, { minuteAtMs: noonMs + minuteMs, lastPx: 7e-24, liqEth: 2 }),
      [address(2), buildMinute({ pool: poolId(9), liqEth: 99 })],
    ])
    await derived.tick(noonMs + 4 * minuteMs, [
      minute(1, { minuteAtMs: noonMs + 3 * minuteMs, lastPx: 4e-24, liqEth: 2 }),
    ])
    const key = { recordType: 'PoolMinute', pool: poolId(1), atMs: noonMs + 2 * minuteMs }
    await derived.tick(noonMs + 5 * minuteMs, [[address(1), buildWithdrawn({ ...key, tier: null })]], {
      revertedFrom: 20,
    })
    await derived.tick(noonMs + dayMs - 1)
    await derived.tick(noonMs + dayMs)
    await tables.project(derived)
    expect(await pricesAt(noonMs), 'no swap is known').to.equal(null)
    expect(await pricesAt(noonMs + 3 * minuteMs)).to.deep.equal({
      ...{ pool: poolId(2), poolCount: 2, gaps: null },
      minutes: [{ minuteAtMs: noonMs + minuteMs, lastPx: 7e-24 }],
    })
    const both = [
      { minuteAtMs: noonMs, lastPx: 1e-24 },
      { minuteAtMs: noonMs + 2 * minuteMs, lastPx: 3e-24 },
      { minuteAtMs: noonMs + 3 * minuteMs, lastPx: 4e-24 },
    ]
    const ofFirst = { pool: poolId(1), poolCount: 2, gaps: null }
    expect(await pricesAt(noonMs + 4 * minuteMs)).to.deep.equal({ ...ofFirst, minutes: both })
    const left = { ...ofFirst, minutes: [both[0], both[2]] }
    expect(await pricesAt(noonMs + 5 * minuteMs), 'a reorg withdrew a minute').to.deep.equal(left)
    expect((await pricesAt(noonMs + dayMs - 1))?.minutes).to.deep.equal(left.minutes)
    expect((await pricesAt(noonMs + dayMs))?.minutes, 'exactly a day ago').to.deep.equal([both[2]])
    expect(await pricesAt(noonMs + dayMs, 1)).to.equal(null)
    expect(
      await tables.queries.tokenPrices(await tables.cutAt(noonMs), { token: "' OR 1 = 1 --", hours: 24 }),
    ).to.equal(null)
  })

  it('has missing trades of the pool whose prices it has', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [
      [address(1), buildPoolOpened()],
      [address(1), buildPoolOpened({ pool: poolId(2) })],
      [address(1), buildMinute({ liqEth: 1 })],
      [address(1), buildTradeGap()],
    ])
    await derived.tick(noonMs + hourMs, [
      [address(1), buildMinute({ pool: poolId(2), minuteAtMs: noonMs + hourMs, liqEth: 2 })],
    ])
    await derived.tick(noonMs + 2 * hourMs)
    await tables.project(derived)
    expect((await pricesAt(noonMs))?.gaps).to.deep.equal({ trades: null, volume: 0.5, knownAtMs: noonMs })
    expect((await pricesAt(noonMs + hourMs))?.gaps, 'of the other pool').to.equal(null)
  })

  it('has the calls of a token in the last 48 h of the chats, on its own chain', async () => {
    const derived = await createCallsLog()
    const call = (calledAtMs: number) => buildCall({ calledAtMs })
    await derived.tick(noonMs + 2000, {
      a: [
        [address(1), call(noonMs - 48 * hourMs + 2001)],
        [address(1), call(noonMs - hourMs)],
        [address(1), call(noonMs - 48 * hourMs + 1999)],
        [address(2), call(noonMs)],
      ],
      b: [[mint(1), call(noonMs - minuteMs)]],
    })
    await derived.tick(noonMs + hourMs)
    await tables.project(derived)
    const queries = callsQueriesOf(tables)
    const cut = await callsCutAt(tables, noonMs + 2000)
    const timesOf = async (token: string) => (await queries.ofToken(cut, token)).map(({ calledAtMs }) => calledAtMs)
    expect(await timesOf(address(1))).to.deep.equal([noonMs - hourMs, noonMs - 48 * hourMs + 2001])
    expect(await timesOf(mint(1))).to.deep.equal([noonMs - minuteMs])
    expect(await timesOf(address(7))).to.deep.equal([])
    expect(await timesOf("' OR 1 = 1 --")).to.deep.equal([])
    const [first] = await queries.ofToken(cut, address(2))
    expect(first?.chats.map(({ firstAtMs }) => typeof firstAtMs)).to.deep.equal(['number'])
  })
}
