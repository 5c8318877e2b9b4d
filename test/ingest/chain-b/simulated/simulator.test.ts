import { expect } from 'chai'
import fc from 'fast-check'
import { hexOfBase58 } from '../../../../infra/base58.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { createSimulator } from '../../../../ingest/chain-b/simulated/simulator.ts'
import type { ChainBRange } from '../../../../ingest/chain-b/types.ts'
import { bookOf, dayMs, factsOf, hourMs, knownOf, never, rangesOf, simulatorOver, textOf } from './tell.ts'

const fromMs = Date.UTC(2026, 10, 20, 7, 13, 21)

describe('the simulated source of chain B', () => {
  it('tells the same facts for the same seed, and others for another', async () => {
    const span = { fromMs, toMs: fromMs + hourMs / 2 }
    const [first, again, other] = await Promise.all([
      rangesOf({ seed: 1, ...span }),
      rangesOf({ seed: 1, ...span, rangeSec: 7 }),
      rangesOf({ seed: 2, ...span }),
    ])
    expect(factsOf(first)).to.have.length.above(500)
    expect(textOf(again) === textOf(first)).to.equal(true)
    expect(textOf(other) === textOf(first)).to.equal(false)
  })

  it('goes on from any slot as if it had never stopped', async () => {
    // There are few launches, but the time is long enough for complete trade histories of mints, with bursts,
    // graduations and pools.
    const whole = { seed: 5, fromMs, toMs: fromMs + 5 * hourMs, launchesPerDay: 200 }
    const expected = textOf(await rangesOf(whole))
    // At least one slot is before the stop of the first run, and at least one after it.
    const cutMs = fc.integer({ min: 2, max: 5 * 3600 * 5 - 4 }).map((fifths) => fifths * 200)
    const runs = fc.asyncProperty(cutMs, fc.integer({ min: 1, max: 300 }), async (cut, rangeSec) => {
      const before = await rangesOf({ ...whole, toMs: fromMs + cut, rangeSec })
      const after = await rangesOf({ ...whole, rangeSec }, before.at(-1)!.head, bookOf(before))
      expect(after[0]!.fromBlock).to.equal(before.at(-1)!.head.number + 1)
      expect(textOf([...before, ...after]) === expected, `cut after ${cut} ms`).to.equal(true)
    })
    await fc.assert(runs, {
      numRuns: 6,
      examples: [
        [17_859_000, 1],
        [400, 300],
        [17_999_200, 1],
      ],
    })
  })

  it('has five slots in two seconds, with whole seconds as their times', async () => {
    const heads = (await rangesOf({ seed: 1, fromMs, toMs: fromMs + 10_000, rangeSec: 0.4 })).map(({ head }) => head)
    expect(heads).to.have.length(25)
    for (const [index, { number, atMs }] of heads.entries()) {
      expect(number).to.equal(heads[0]!.number + index)
      expect(atMs % 1000).to.equal(0)
      expect(atMs - (heads[index - 5]?.atMs ?? atMs - 2000)).to.equal(2000)
    }
  })

  it('says nothing of mints launched before a cold start', async () => {
    const ranges = await rangesOf({ seed: 3, fromMs, toMs: fromMs + hourMs / 2 })
    const launched = new Set<string>()
    for (const { key, fact } of factsOf(ranges)) {
      if (fact.type === 'CurveLaunched') launched.add(key)
      expect(launched.has(key)).to.equal(true)
    }
    expect(launched.size).to.equal(bookOf(ranges).mints.size)
  })

  it('refuses the cursor of another chain', async () => {
    const stranger = { number: 480_000_000, hash: `0x${'ab'.repeat(32)}` as const, atMs: fromMs }
    const { source } = simulatorOver({ seed: 1, fromMs, toMs: fromMs + 1000 })
    let thrown: unknown
    try {
      for await (const _ of source.ranges(stranger, knownOf(), never)) break
    } catch (error) {
      thrown = error
    }
    expect(isOperationError(thrown, 'chain_mismatch')).to.equal(true)
  })

  it('gives a smooth price that is a function of time alone', async () => {
    const at = async (nowMs: number) => (await createSimulator({ seed: 1, nowMs: () => nowMs }).readPrice(never))!
    expect(await at(fromMs)).to.deep.equal(await at(fromMs))
    for (let step = 0; step < 200; step++) {
      const [now, next] = [await at(fromMs + step * 10_000), await at(fromMs + (step + 1) * 10_000)]
      expect(now.usd).to.be.within(130, 170)
      expect(Math.abs(next.usd / now.usd - 1)).to.be.below(0.001)
    }
  })
})

describe('the simulated source of chain B, live', () => {
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

  it('tells the past day first, then every second the slots that have begun', async () => {
    const { clock, simulator } = liveAt(fromMs + 400)
    const stop = new AbortController()
    const ranges: ChainBRange[] = []
    for await (const range of simulator.source.ranges(null, knownOf(), stop.signal)) {
      ranges.push(range)
      if (clock.sleeps > 0) expect(clock.nowMs - range.head.atMs).to.be.within(0, 1000)
      if (clock.sleeps === 30) stop.abort()
    }
    expect(ranges[0]!.head.atMs).to.be.within(fromMs - dayMs + 119_000, fromMs - dayMs + 120_000)
    for (const [index, range] of ranges.entries())
      if (index > 0) expect(range.fromBlock).to.equal(ranges[index - 1]!.head.number + 1)
    const live = ranges.slice(-29)
    for (const { head, fromBlock } of live) expect(head.number - fromBlock + 1).to.be.within(2, 3)
    expect(clock.nowMs).to.equal(fromMs + 30_000)
  })

  it('ends at once when aborted while it waits', async () => {
    const stop = new AbortController()
    const start = await rangesOf({ seed: 1, fromMs: fromMs - 1000, toMs: fromMs + 400 })
    // The clock does not move, so without the abort the wait for the next slot would never end.
    const simulator = createSimulator({ seed: 1, nowMs: () => fromMs })
    const ranges = simulator.source.ranges(start.at(-1)!.head, knownOf(), stop.signal)[Symbol.asyncIterator]()
    const waiting = ranges.next()
    stop.abort()
    expect(await waiting).to.deep.equal({ done: true, value: undefined })
  })
})

describe('the wallets of the simulated chain B', () => {
  it('have the addresses of accounts', async () => {
    const facts = factsOf(await rangesOf({ seed: 1, fromMs, toMs: fromMs + hourMs / 4 }))
    for (const { key, fact } of facts) {
      expect(hexOfBase58(key, 32)).to.match(/^0x[0-9a-f]{64}$/)
      expect(fact.data.txHash).to.match(/^0x[0-9a-f]{128}$/)
      if (fact.type === 'CurveTraded') expect(fact.data.trader).to.match(/^0x[0-9a-f]{64}$/)
    }
  })
})
