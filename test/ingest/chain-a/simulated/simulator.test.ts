import { expect } from 'chai'
import fc from 'fast-check'
import { isOperationError } from '../../../../infra/errors.ts'
import { createSimulator } from '../../../../ingest/chain-a/simulated/simulator.ts'
import type { ChainARange } from '../../../../ingest/chain-a/types.ts'
import { knownOf } from '../../known-of.ts'
import { bookOf, dayMs, factsOf, hourMs, never, rangesOf, simulatorOver, textOf } from './tell.ts'

const fromMs = Date.UTC(2026, 10, 20, 7, 13, 21)

describe('the simulated source', () => {
  it('tells the same facts for the same seed, and others for another', async () => {
    const span = { fromMs, toMs: fromMs + hourMs }
    const [first, again, other] = await Promise.all([
      rangesOf({ seed: 1, ...span }),
      rangesOf({ seed: 1, ...span, rangeSec: 7 }),
      rangesOf({ seed: 2, ...span }),
    ])
    expect(factsOf(first)).to.have.length.above(1000)
    expect(textOf(again) === textOf(first)).to.equal(true)
    expect(textOf(other) === textOf(first)).to.equal(false)
  })

  it('goes on from any cursor as if it had never stopped', async () => {
    // There are few launches, but the time is long enough for complete trade histories of tokens, with bursts
    // and removals of liquidity.
    const whole = { seed: 5, fromMs, toMs: fromMs + 5 * hourMs, launchesPerDay: 72 }
    const expected = textOf(await rangesOf(whole))
    const cutSec = fc.integer({ min: 1, max: 5 * 3600 - 1 })
    const runs = fc.asyncProperty(cutSec, fc.integer({ min: 1, max: 300 }), async (cut, rangeSec) => {
      const before = await rangesOf({ ...whole, toMs: fromMs + cut * 1000, rangeSec })
      const after = await rangesOf({ ...whole, rangeSec }, before.at(-1)!.head, bookOf(before))
      expect(after[0]!.fromBlock).to.equal(before.at(-1)!.head.number + 1)
      expect(textOf([...before, ...after]) === expected, `cut after ${cut} s`).to.equal(true)
    })
    await fc.assert(runs, { numRuns: 6 })
  })

  it('says nothing of pools and curves created before a cold start', async () => {
    const ranges = await rangesOf({ seed: 3, fromMs, toMs: fromMs + hourMs / 2 })
    const created = new Set<string>()
    for (const { fact } of factsOf(ranges)) {
      const subject = 'pool' in fact.data ? fact.data.pool : fact.data.curve
      if (fact.type === 'PoolCreated' || fact.type === 'CurveLaunched') created.add(subject)
      expect(created.has(subject)).to.equal(true)
    }
    const { pools, curves } = bookOf(ranges)
    expect(created.size).to.equal(pools.size + curves.size)
  })

  it('refuses the cursor of another chain', async () => {
    const stranger = { number: 95_000_000, hash: `0x${'ab'.repeat(32)}` as const, atMs: fromMs }
    const { source } = simulatorOver({ seed: 1, fromMs, toMs: fromMs + 1000 })
    let thrown: unknown
    try {
      for await (const _ of source.ranges(stranger, knownOf(), never)) break
    } catch (error) {
      thrown = error
    }
    expect(isOperationError(thrown, 'chain_mismatch')).to.equal(true)
  })

  it('has code at the addresses of its tokens once they were launched, and nowhere else', async () => {
    const ranges = await rangesOf({ seed: 1, fromMs, toMs: fromMs + hourMs })
    const tokens = [...new Set(factsOf(ranges).map(({ key }) => key))]
    const [early, late] = [fromMs - 7_200_000, fromMs + hourMs].map((toMs) =>
      simulatorOver({ seed: 1, fromMs: 0, toMs }),
    )
    for (const token of tokens) {
      expect(await late!.hasCode(token)).to.equal(true)
      expect(await early!.hasCode(token)).to.equal(false)
      expect(await late!.hasCode(`0xbb${token.slice(4)}`)).to.equal(false)
    }
    expect(tokens.length).to.be.above(10)
  })

  it('reads the senders of its own transactions from their hashes, and of no others', async () => {
    const ranges = await rangesOf({ seed: 1, fromMs, toMs: fromMs + 600_000 })
    const hashes = factsOf(ranges).map(({ fact }) => fact.data.txHash)
    const { readSenders } = simulatorOver({ seed: 1, fromMs, toMs: fromMs })
    const strange = `0x${'12'.repeat(32)}` as const
    const senders = await readSenders([...hashes, strange, '0x12'], never)
    expect(senders.size).to.equal(new Set(hashes).size)
    for (const sender of senders.values()) expect(sender).to.match(/^0x[0-9a-f]{40}$/)
    const { readSenders: readElsewhere } = simulatorOver({ seed: 2, fromMs, toMs: fromMs })
    expect((await readElsewhere(hashes, never)).size).to.equal(0)
  })

  it('gives a smooth price that is a function of time alone', async () => {
    const at = async (nowMs: number) => (await createSimulator({ seed: 1, nowMs: () => nowMs }).readPrice(never))!
    expect(await at(fromMs)).to.deep.equal(await at(fromMs))
    for (let step = 0; step < 200; step++) {
      const [now, next] = [await at(fromMs + step * 10_000), await at(fromMs + (step + 1) * 10_000)]
      expect(now.usd).to.be.within(2500, 3500)
      expect(Math.abs(next.usd / now.usd - 1)).to.be.below(0.001)
      expect(fromMs + step * 10_000 - now.atMs).to.be.within(0, 9_999)
    }
  })
})

describe('the simulated source, live', () => {
  /** A clock that only a sleep moves. */
  function liveAt(startMs: number) {
    const clock = { nowMs: startMs, sleeps: 0 }
    const simulator = createSimulator({
      seed: 1,
      launchesPerDay: 24,
      nowMs: () => clock.nowMs,
      sleep: async (delayMs) => {
        clock.sleeps++
        clock.nowMs += delayMs
      },
    })
    return { clock, simulator }
  }

  it('tells the past day first, then every second as it ends', async () => {
    const { clock, simulator } = liveAt(fromMs + 400)
    const stop = new AbortController()
    const ranges: ChainARange[] = []
    for await (const range of simulator.source.ranges(null, knownOf(), stop.signal)) {
      ranges.push(range)
      if (clock.sleeps > 0) expect(clock.nowMs - range.head.atMs).to.be.within(0, 999)
      if (clock.sleeps === 30) stop.abort()
    }
    expect(ranges[0]!.head.atMs).to.equal(fromMs - dayMs + 119_000)
    for (const [index, range] of ranges.entries()) {
      if (index > 0) expect(range.fromBlock).to.equal(ranges[index - 1]!.head.number + 1)
    }
    const live = ranges.slice(-30)
    for (const range of live) expect(range.head.number).to.equal(range.fromBlock)
    expect(live.at(-1)!.head.atMs).to.equal(fromMs + 30_000)
  })

  it('ends at once when aborted while it waits', async () => {
    const stop = new AbortController()
    const simulator = createSimulator({ seed: 1, nowMs: () => fromMs })
    const start = await rangesOf({ seed: 1, fromMs: fromMs - 1000, toMs: fromMs + 1000 })
    const ranges = simulator.source.ranges(start.at(-1)!.head, knownOf(), stop.signal)[Symbol.asyncIterator]()
    // The clock does not move, so without the abort this wait would never end.
    const waiting = ranges.next()
    stop.abort()
    expect(await waiting).to.deep.equal({ done: true, value: undefined })
  })
})
