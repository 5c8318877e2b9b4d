import { setImmediate } from 'node:timers/promises'
import { base58 } from '@scure/base'
import { expect } from 'chai'
import { pino } from 'pino'
import { OperationError } from '../../../../infra/errors.ts'
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

/**
 * Returns when the curve's account was read, in seconds since the start, and the gaps that the account
 * showed.
 */
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
    delay: async (pauseMs) => {
      clock.nowMs += pauseMs
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

/** Returns a trade on a curve. The curve's name is also its mint and its address. */
const quiet = (name: string, atMs: number): MintFact => ({
  key: name,
  fact: buildCurveTraded({ blockNumber: 10, blockAtMs: atMs }),
})
const namesOf = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `curve ${from + index}`)

/**
 * Returns which curves have their accounts read together, with the time of each read in seconds. `facts` are
 * in the log at the start, and `later` gives facts that are added at these seconds. The newest block in the
 * log is `behindMs` behind the clock.
 */
async function readsOf(
  facts: readonly MintFact[],
  options: Readonly<{
    untilSec: number
    later?: Readonly<Record<number, readonly MintFact[]>>
    behindMs?: number
    failsAtSec?: number
  }>,
) {
  const { untilSec, later = {}, behindMs = 0, failsAtSec } = options
  const clock = { nowMs: startMs }
  const secondOf = () => (clock.nowMs - startMs) / 1000
  const reads: (readonly [second: number, names: readonly string[]])[] = []
  const stop = new AbortController()
  const curves = createQuietCurves({
    accounts: async (addresses) => {
      reads.push([secondOf(), addresses])
      if (secondOf() === failsAtSec) throw new OperationError('node_unreachable', 'away')
      return addresses.map(() => null)
    },
    curveOf: async (its) => its,
    reserves: { chain: () => expect.fail('no account has reserves') },
    gapTracker: { lastOf: () => expect.fail('no account has reserves') },
    ...{ nowMs: () => clock.nowMs, logger: pino({ level: 'silent' }) },
    delay: async (pauseMs) => {
      clock.nowMs += pauseMs
      note(later[secondOf()] ?? [])
      if (secondOf() >= untilSec) stop.abort()
      await setImmediate()
    },
  })
  const note = (its: readonly MintFact[]) => curves.note(its, { number: 12, hash: '0x', atMs: clock.nowMs - behindMs })
  note(facts)
  await curves.run(stop.signal)
  return reads
}

describe('the accounts of many quiet curves', () => {
  it('are read oldest first, at most a hundred at once and once a second', async () => {
    const names = namesOf(250)
    const reads = await readsOf(
      names.map((name) => quiet(name, startMs)),
      { untilSec: 40 },
    )
    expect(reads).to.deep.equal([
      [30, names.slice(0, 100)],
      [31, names.slice(100, 200)],
      [32, names.slice(200)],
    ])
  })

  it('are a hundred at most also where some are read for the second time, and those come first', async () => {
    const [again, first] = [namesOf(60), namesOf(80, 60)]
    const lastAtMs = startMs + 61 * minuteMs - 30_000
    const later = { [60 * 60 + 30]: first.map((name) => quiet(name, lastAtMs)) }
    const reads = await readsOf(
      again.map((name) => quiet(name, startMs)),
      { untilSec: 61 * 60 + 5, later },
    )
    expect(reads).to.deep.equal([
      [30, again],
      [61 * 60, [...again, ...first.slice(0, 40)]],
      [61 * 60 + 1, first.slice(40)],
    ])
  })

  it('are not read while the log is more than a minute behind the clock', async () => {
    const facts = [quiet('curve', startMs - 2 * minuteMs)]
    expect(await readsOf(facts, { untilSec: 2, behindMs: minuteMs })).to.have.lengthOf(1)
    expect(await readsOf(facts, { untilSec: 2, behindMs: minuteMs + 1 })).to.deep.equal([])
  })

  it('are read again half a minute after they could not be read', async () => {
    const names = namesOf(2)
    const facts = names.map((name) => quiet(name, startMs))
    expect(await readsOf(facts, { untilSec: 70, failsAtSec: 30 })).to.deep.equal([
      [30, names],
      [60, names],
    ])
  })

  it('are forgotten where more than twenty thousand wait: the oldest ones, before each read', async () => {
    const names = namesOf(20_001)
    const facts = names.map((name) => quiet(name, startMs))
    const firstOf = async (count: number) => (await readsOf(facts.slice(0, count), { untilSec: 31 }))[0]?.[1][0]
    expect([await firstOf(20_000), await firstOf(20_001)]).to.deep.equal([names[0], names[1]])
    // First all curves but the last are read, and later the last one. So 20,001 curves wait to be read again.
    const later = { 300: facts.slice(20_000) }
    const reads = await readsOf(facts.slice(0, 20_000), { untilSec: 61 * 60 + 1, later })
    expect(reads.at(-1)).to.deep.equal([61 * 60, names.slice(1, 101)])
  })
})
