import { expect } from 'chai'
import fc from 'fast-check'
import { bursts } from '../../../../processors/chain-a/bursts/processor.ts'
import { revisionOf } from '../../../../processors/chain-a/buyers/buyers.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact, PoolCreated, Swap } from '../../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import {
  buildAddress,
  buildHash,
  buildPoolCreated,
  buildSwap,
  second,
  testPool,
  testStartAtMs,
  testToken,
  weiOf,
} from '../../../support/builders/build-facts.ts'
import { given } from '../../../support/given-chain-a.ts'
import { drawSwaps } from './draw-swaps.ts'

const hour = 3600
const oneEth = 10n ** 18n

/** Each test creates its pool at second 0, so the time of a swap is also the age of the pool in seconds. */
const pool = (fields: Partial<PoolCreated> = {}) => [buildPoolCreated({ blockAtMs: second(0), ...fields })]

/** Returns the signals as texts. `main@300` is a signal of the tier `main` at 300 s. */
const signals = (records: readonly ChainADerived[]): string[] =>
  records.flatMap(({ type, data }) => (type === 'Burst' ? [`${data.tier}@${(data.atMs - testStartAtMs) / 1000}`] : []))

/** Returns buys of one block that add up to exactly `totalWei`. */
function buysAt(atSec: number, count: number, totalWei: bigint = weiOf(1.2)): ChainAFact[] {
  const each = totalWei / BigInt(count)
  return Array.from({ length: count }, (_, index) =>
    buildSwap({
      blockAtMs: second(atSec),
      ethWei: index > 0 ? each : totalWei - each * BigInt(count - 1),
    }),
  )
}

const firedBy = (...facts: readonly ChainAFact[]): string[] => signals(given(bursts, pool()).when(...facts).records)

describe('burst thresholds', () => {
  const cases: readonly [string, ChainAFact[], string[]][] = [
    ['12 buys of exactly 1 ETH are main and lite', buysAt(600, 12, oneEth), ['main@600', 'lite@600']],
    ['one wei less is only lite', buysAt(600, 12, oneEth - 1n), ['lite@600']],
    ['11 buys are only lite, whatever their size', buysAt(600, 11, 5n * oneEth), ['lite@600']],
    ['8 buys of exactly 0.5 ETH are lite', buysAt(600, 8, oneEth / 2n), ['lite@600']],
    ['one wei less is nothing', buysAt(600, 8, oneEth / 2n - 1n), []],
    ['7 buys are nothing', buysAt(600, 7, 5n * oneEth), []],
    ['sells are taken off', [...buysAt(600, 12), buildSwap({ blockAtMs: second(600), eth: -0.3 })], ['lite@600']],
    ['sold more than bought is nothing', [...buysAt(600, 12), buildSwap({ blockAtMs: second(600), eth: -2 })], []],
  ]
  for (const [name, facts, expected] of cases) it(name, () => expect(firedBy(...facts)).to.deep.equal(expected))
})

describe('burst pool ages', () => {
  const cases: readonly [string, number, string[]][] = [
    ['just under 5 min: nothing', 299.999, []],
    ['exactly 5 min: main and lite', 300, ['main', 'lite']],
    ['exactly 6 h: still main and lite', 6 * hour, ['main', 'lite']],
    ['just over 6 h: old', 6 * hour + 0.001, ['old']],
    ['exactly 24 h: still old', 24 * hour, ['old']],
    ['just over 24 h: nothing', 24 * hour + 0.001, []],
  ]
  for (const [name, atSec, tiers] of cases)
    it(name, () => expect(firedBy(...buysAt(atSec, 12))).to.deep.equal(tiers.map((tier) => `${tier}@${atSec}`)))
})

describe('the burst window', () => {
  it('holds a buy 55 s old', () => {
    //                                0   ·   ·  30   ·   ·
    expect(firedBy(...drawSwaps(600, '1..........b'))).to.deep.equal(['main@655', 'lite@655'])
  })

  it('has let go of a buy exactly 60 s old', () => {
    //                                0   ·   ·  30   ·   ·  60
    expect(firedBy(...drawSwaps(600, '1...........b'))).to.deep.equal(['lite@660'])
  })

  it('judges every block, so lite comes before main', () => {
    expect(firedBy(...drawSwaps(600, '444'))).to.deep.equal(['lite@605', 'main@610'])
  })

  it('wants buying in the last 15 s for main, not for lite: buys exactly 15 s old are no longer that', () => {
    //  age 285 s: too young │  │ age 300 s: old enough, but now only a sell
    expect(firedBy(...drawSwaps(285, 'f..s'))).to.deep.equal(['lite@300'])
  })

  it('wants it for refire and old too', () => {
    const hours = (count: number) => count * hour
    //  too early for a refire │       │ just in time, but now only a sell
    const again = [...buysAt(600, 12), ...drawSwaps(2380, 'f...s')]
    expect(firedBy(...again)).to.deep.equal(['main@600', 'lite@600'])
    //      still young enough for lite alone │  │ old enough, but now only a sell
    const old = drawSwaps(hours(6) - 10, '8...6..s')
    expect(firedBy(...old)).to.deep.equal([`lite@${hours(6) - 10}`, `old@${hours(6) + 10}`])
    expect(firedBy(...drawSwaps(hours(6) - 10, 'b...s'))).to.deep.equal([`lite@${hours(6) - 10}`])
  })

  it('takes buys 10 s old for buying still going on', () => {
    expect(firedBy(...drawSwaps(290, 'f.s'))).to.deep.equal(['main@300', 'lite@300'])
  })

  it('wants positive net inflow in the last 15 s for main, not only a buy', () => {
    expect(firedBy(...drawSwaps(285, 'f..2s', { sellEth: 0.2 }))).to.deep.equal(['main@300', 'lite@300'])
    expect(firedBy(...drawSwaps(280, 'f..2s', { sellEth: 0.2 }))).to.deep.equal(['lite@300'])
  })

  it('takes a single buy of one wei for buying that goes on', () => {
    const facts = [...buysAt(290, 12), buildSwap({ blockAtMs: second(305), ethWei: 1n })]
    expect(firedBy(...facts)).to.deep.equal(['main@305', 'lite@305'])
  })

  it('spans blocks of one second, and signals at the block that crosses', () => {
    const half = (blockNumber: number) =>
      Array.from({ length: 6 }, () => buildSwap({ blockAtMs: second(600), blockNumber, eth: 0.1 }))
    const { records } = given(bursts, pool()).when(...half(5000), ...half(5001))
    expect(signals(records)).to.deep.equal(['main@600', 'lite@600'])
    expect(records.flatMap(({ type, data }) => (type === 'Burst' ? [data.blockNumber] : []))).to.deep.equal([
      5001, 5001,
    ])
  })
})

describe('bursts firing again', () => {
  const rounds = (...atSecs: readonly number[]): string[] => firedBy(...atSecs.flatMap((atSec) => buysAt(atSec, 12)))

  it('fires main and lite once', () => expect(rounds(600, 601, 700)).to.deep.equal(['main@600', 'lite@600']))

  it('refires exactly 30 min after main, and not a second earlier', () => {
    expect(rounds(600, 600 + 1799)).to.deep.equal(['main@600', 'lite@600'])
    expect(rounds(600, 600 + 1800)).to.deep.equal(['main@600', 'lite@600', 'refire@2400'])
  })

  it('counts the 30 min from the last refire', () => {
    expect(rounds(600, 2400, 4199, 4200)).to.deep.equal(['main@600', 'lite@600', 'refire@2400', 'refire@4200'])
  })

  it('does not count lite as an earlier burst', () => {
    expect(firedBy(...buysAt(600, 8, oneEth), ...buysAt(605, 4, oneEth))).to.deep.equal(['lite@600', 'main@605'])
  })

  it('never calls a pool old that fired main', () => {
    expect(rounds(600, 7 * hour)).to.deep.equal(['main@600', 'lite@600', `refire@${7 * hour}`])
  })

  it('calls a pool old that fired only lite', () => {
    expect(firedBy(...buysAt(600, 8), ...buysAt(7 * hour, 12))).to.deep.equal(['lite@600', `old@${7 * hour}`])
  })

  it('refires after old, up to exactly 24 h', () => {
    expect(rounds(7 * hour, 7.5 * hour, 24 * hour, 24 * hour + 1)).to.deep.equal([
      `old@${7 * hour}`,
      `refire@${7.5 * hour}`,
      `refire@${24 * hour}`,
    ])
  })
})

describe('swaps that do not count', () => {
  const hooks = buildAddress(0x400c)
  const uncounted: readonly [string, Partial<Swap>][] = [
    ['that move no ETH', { ethWei: 0n }],
    ['by the pool’s own hook', { sender: hooks, ethWei: oneEth }],
    ['at the lower limit of the price', { tick: -887272, ethWei: oneEth }],
    ['at the upper limit of the price', { tick: 887271, ethWei: oneEth }],
  ]
  for (const [name, fields] of uncounted)
    it(`swaps ${name} neither fill the window nor cause a judgement`, () => {
      const past = [...pool({ hooks }), ...drawSwaps(295, 'c')]
      const uncountedSwap = buildSwap({ blockAtMs: second(300), ...fields })
      const then = given(bursts, past).when(uncountedSwap)
      expect(signals(then.records)).to.deep.equal([])
      const { records } = then.when(buildSwap({ blockAtMs: second(301), ethWei: 1n }))
      expect(signals(records)).to.deep.equal(['main@301', 'lite@301'])
      expect(records.map(({ type, data }) => type === 'Burst' && [data.buys, data.inflowWei])[0]).to.deep.equal([
        13,
        weiOf(1.2) + 1n,
      ])
    })

  it('count one tick inside the limits', () => {
    const inside = [-887271, 887270].map((tick) => buildSwap({ blockAtMs: second(600), tick, eth: 0.1 }))
    expect(firedBy(...buysAt(600, 10, oneEth), ...inside)).to.deep.equal(['main@600', 'lite@600'])
  })

  it('are all swaps of a pool whose creation is not in the log', () => {
    const stranger = buysAt(600, 12).map((fact) => ({ ...fact, data: { ...fact.data, pool: buildHash(0xbad) } }))
    const later = buysAt(1000, 12).map((fact) => ({ ...fact, data: { ...fact.data, pool: buildHash(0xbad) } }))
    expect(firedBy(...([...stranger, ...later] as ChainAFact[]))).to.deep.equal([])
  })

  it('are none because a pool’s creation is told twice', () => {
    const twice = [...buysAt(600, 6), buildPoolCreated({ blockAtMs: second(601) }), ...buysAt(602, 6)]
    expect(firedBy(...twice)).to.deep.equal(['main@602', 'lite@602'])
  })

  it('are all swaps after the pool was closed', () => {
    const { driver } = given([pools, bursts], pool()).wokenAt(second(25.5 * hour))
    expect(driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})

describe('burst fields', () => {
  const signalAtMs = second(900)
  const sizes = [0.3, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.1]
  const txHash = buildHash(0x7e57)
  const swaps = [
    buildSwap({ blockAtMs: second(880), eth: 0.2, txHash }),
    buildSwap({ blockAtMs: second(890), eth: -0.1 }),
    ...sizes.map((eth) => buildSwap({ blockAtMs: signalAtMs, eth, px: 2e-9 })),
    buildSwap({ blockAtMs: signalAtMs, eth: 0.2, px: 4e-9, txHash, blockHash: buildHash(0xb10c) }),
  ]
  const { records } = given(bursts, pool()).when(...swaps)

  it('are those of the whole window at the end of the block', () => {
    const burst = records[0]
    if (burst?.type !== 'Burst') return expect.fail('no burst')
    const { px, sizeCv, top3Share, blockHash, ...exact } = burst.data
    expect(exact).to.deep.equal({
      pool: testPool,
      tier: 'main',
      atMs: signalAtMs,
      dex: 'v4',
      blockNumber: 1900,
      shape: 'scripted',
      inflowWei: weiOf(1.4),
      buys: 14,
      sells: 1,
      windowSec: 60,
      poolCreatedAtMs: second(0),
      sameSizeMax: 6,
    })
    expect(px).to.be.closeTo(4e-27, 1e-36)
    expect(top3Share).to.be.closeTo(0.7 / 1.5, 1e-12)
    expect(sizeCv).to.be.closeTo(0.679869, 1e-6)
  })

  it('ask for the senders of the window’s buys, each transaction once, on main but not on lite', () => {
    const asked = records.filter(({ type }) => type === 'SendersAsked')
    const buyHashes = swaps.filter(({ data }) => data.ethWei > 0n).map(({ data }) => data.txHash)
    const txHashes = buyHashes.slice(0, -1)
    expect(asked.map(({ data }) => data)).to.deep.equal([
      {
        questionId: `${testPool}:main:${signalAtMs}`,
        revision: revisionOf(txHashes),
        pool: testPool,
        tier: 'main',
        atMs: signalAtMs,
        txHashes,
      },
    ])
  })

  it('call every v3 burst v3', () => {
    const then = given(bursts, pool({ dex: 'v3' })).when(...buysAt(600, 12))
    expect(then.records.map(({ type, data }) => type === 'Burst' && data.shape)[0]).to.equal('v3')
  })
})

describe('pools of one token', () => {
  const poolIds = [buildHash(1), buildHash(2), buildHash(3)]
  const anySwap = fc.record({
    pool: fc.constantFrom(...poolIds),
    atSec: fc.integer({ min: 290, max: 420 }),
    eth: fc.integer({ min: -3, max: 9 }),
  })

  /** Returns the records of each pool, by the pool's id. */
  function burstsByPool(facts: readonly ChainAFact[]): Record<string, ChainADerived[]> {
    const driver = createTestDriver({ stage: chainAStage, processors: [bursts] })
    for (const id of poolIds) driver.fact(testToken, buildPoolCreated({ pool: id, blockAtMs: second(0) }))
    for (const fact of facts) driver.fact(testToken, fact)
    driver.tick(second(500))
    const records = driver.outputs().map(({ record }) => record)
    return Object.fromEntries(
      poolIds.map((id) => [id, records.filter(({ data }) => 'pool' in data && data.pool === id)]),
    )
  }

  it('do not depend on how their swaps are mixed in a block', () => {
    fc.assert(
      fc.property(fc.array(anySwap, { minLength: 20, maxLength: 120 }), (drawn) => {
        const swaps = drawn
          .map(({ pool: id, atSec, eth }) => buildSwap({ pool: id, blockAtMs: second(atSec), eth: eth / 10 }))
          .sort((a, b) => a.data.blockAtMs - b.data.blockAtMs)
        const mixed = [...swaps].sort(
          (a, b) => a.data.blockAtMs - b.data.blockAtMs || poolIds.indexOf(b.data.pool) - poolIds.indexOf(a.data.pool),
        )
        expect(burstsByPool(mixed)).to.deep.equal(burstsByPool(swaps))
      }),
      { numRuns: 60 },
    )
  })
})
