import { setImmediate } from 'node:timers/promises'
import { base58 } from '@scure/base'
import { expect } from 'chai'
import { pino } from 'pino'
import { createQuietCurves } from '../../../../ingest/chain-b/repair/quiet-curves.ts'
import { createReserveChain } from '../../../../ingest/chain-b/reserves/reserve-chain.ts'
import type { MintFact } from '../../../../ingest/chain-b/types.ts'
import { buildCurveTraded } from '../../../support/chain-b/build-facts.ts'
import { curveBytes } from './recorded-source.ts'

const startMs = 1_800_000_000_000
const key = base58.encode(Buffer.alloc(32, 7))
const minuteMs = 60_000

const tradeAt = (atMs: number): MintFact => ({
  key,
  fact: buildCurveTraded({ blockNumber: 10, blockAtMs: atMs, virtualQuoteRaw: 110n, virtualTokenRaw: 90n }),
})

/** When the curve's account was read, in seconds since the start, and the gaps that it showed. */
async function watch(trades: readonly MintFact[], { isLostAtMs, untilMs }: { isLostAtMs: number; untilMs: number }) {
  const clock = { nowMs: startMs }
  const readAtSec: number[] = []
  const chain = createReserveChain()
  const stop = new AbortController()
  const curves = createQuietCurves({
    accounts: async (addresses) => {
      readAtSec.push((clock.nowMs - startMs) / 1000)
      const reserves = clock.nowMs < startMs + isLostAtMs ? [90n, 110n] : [80n, 120n]
      const bytes = curveBytes([...reserves, 80n, 20n, 10n ** 15n])
      return addresses.map(() => ({ slot: 11, owner: '', bytes }))
    },
    curveOf: async (its) => its,
    ...{ reserves: { chain: () => chain }, nowMs: () => clock.nowMs, logger: pino({ level: 'silent' }) },
    gapTracker: { lastOf: () => ({ ...tradeAt(startMs).fact.data }) },
    delay: async () => {
      clock.nowMs += 1000
      const head = { number: 12, hash: '0x' as const, atMs: clock.nowMs }
      const known = trades.filter(({ fact }) => fact.data.blockAtMs === clock.nowMs)
      for (const { fact } of known) if (fact.type === 'CurveTraded') chain.follow(key, fact.data)
      curves.note(known, head)
      for (const { toSlot } of curves.gaps()) gaps.push(toSlot)
      if (clock.nowMs >= startMs + untilMs) stop.abort()
      await setImmediate()
    },
  })
  const gaps: number[] = []
  await curves.run(stop.signal)
  return { readAtSec, gaps }
}

const first = tradeAt(startMs + 1000)

describe('the account of a quiet curve', () => {
  it('is read half a minute after the last trade, and once more when the hour after it is over', async () => {
    const { readAtSec, gaps } = await watch([first], { isLostAtMs: 40 * minuteMs, untilMs: 70 * minuteMs })
    expect(readAtSec).to.deep.equal([31, 61 * 60 + 1])
    expect(gaps, 'what was lost long after the first reading').to.deep.equal([11])
  })

  it('is read again after each trade', async () => {
    const trades = [first, tradeAt(startMs + 50 * minuteMs)]
    const { readAtSec, gaps } = await watch(trades, { isLostAtMs: 200 * minuteMs, untilMs: 113 * minuteMs })
    expect(readAtSec).to.deep.equal([31, 50 * 60 + 30, 111 * 60])
    expect(gaps).to.deep.equal([])
  })
})
