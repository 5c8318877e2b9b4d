/** Tests what an hourly answer about calls contains if it had to wait for an input that was behind. */
import { expect } from 'chai'
import { buildCall, createCallsLog } from '../projections/calls/derived-log.ts'
import { address, buildTradeGap, noonMs, poolId } from '../projections/derived-log.ts'
import { callsCutAt, callsQueriesOf } from './projections-of-calls.ts'
import { hourMs, minuteMs, type Tables } from './projections-tables.ts'

const at = (hours: number, minutes = 0): number => noonMs + (hours - 12) * hourMs + minutes * minuteMs
const blocks = (a: number, b: number, chats: number) => ({
  ...{ a: { blockAtMs: a }, b: { blockAtMs: b }, chats: { blockAtMs: chats } },
})

const anchor = {
  ...{ atMs: at(8, 30) + 3000, px: 1e-21, mcapUsd: null, mcapCoin: null, source: 'pool' as const, market: poolId(1) },
  isAsked: false,
}
const early = { calledAtMs: at(8, 30), anchor, ret1h: 0.5, maxRet: 0.5, maxAtMs: at(9, 30), lastSampleAtMs: at(9, 40) }
/** The same call three hours later: a new high, many posts, and a pull. */
const later = {
  ...{ ...early, ret4h: 9, maxRet: 9, maxAtMs: at(12, 40) },
  ...{ ruggedAtMs: at(13), recalls: 12, lastSampleAtMs: at(12, 50) },
}
const gap = { atMs: at(11, 10), fromAtMs: at(11), toAtMs: at(11, 10), trades: 7 }

export function waitingEditions(tables: Tables): void {
  /** Until 13:40, one input stands at 09:40. Then it passes 10:00. */
  const outcomeAfter = async (behind: 'chain B' | 'chats') => {
    const derived = await createCallsLog()
    await derived.tick(at(8), {}, blocks(at(8), at(8), at(8)))
    await derived.tick(at(9, 40), { a: [[address(1), buildCall(early)]] }, blocks(at(9, 40), at(9, 40), at(9, 40)))
    const passing = (atMs: number, behindAtMs: number) =>
      blocks(atMs, behind === 'chain B' ? behindAtMs : atMs, behind === 'chats' ? behindAtMs : atMs)
    await derived.tick(at(10, 1), {}, passing(at(10, 1), at(9, 40)))
    const missing = [address(1), buildTradeGap(gap)] as const
    await derived.tick(at(13, 30), { a: [missing, [address(1), buildCall(later)]] }, passing(at(13, 30), at(9, 40)))
    for (const minutes of [40, 41, 42]) await derived.tick(at(13, minutes), {}, passing(at(13, minutes), at(10, 20)))
    await tables.project(derived)
    const cut = await callsCutAt(tables, at(13, 42))
    const found = await callsQueriesOf(tables).outcomes(cut, { hours: 5, chain: null, limit: 9 })
    expect(found?.rebuiltAtMs).to.equal(at(10))
    return found?.calls[0]
  }

  it('is for each chain of the time at which this chain and the chats passed the hour', async () => {
    expect(await outcomeAfter('chain B')).to.deep.include({
      ...{ ret1h: 0.5, ret4h: null, maxRet: 0.5, maxAtMs: at(9, 30), ruggedAtMs: null, recalls: 0, gaps: null },
    })
  })

  it('flags the missing trades up to the last price that it shows, if the chats passed the hour later', async () => {
    const call = await outcomeAfter('chats')
    expect(call).to.deep.include({ ret1h: 0.5, ret4h: null, maxRet: 9, ruggedAtMs: at(13), recalls: 12 })
    expect(call?.gaps).to.deep.include({ trades: 7 })
  })
}
