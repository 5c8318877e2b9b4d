import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-a/bursts/processor.ts'
import { markets } from '../../../../processors/chain-a/markets/processor.ts'
import { outcomes } from '../../../../processors/chain-a/outcomes/processor.ts'
import { isPulled } from '../../../../processors/markets/move.ts'
import type { BurstOutcome } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact, PoolCreated } from '../../../../schemas/chain-a/facts.ts'
import { chainANumbers } from '../../../../schemas/chain-a/numbers.ts'
import type { Hex } from '../../../../schemas/units.ts'
import {
  buildAddress,
  buildHash,
  buildPoolCreated,
  buildPoolInitialized,
  buildSwap,
  type SwapFields,
  second,
} from '../../../support/builders/build-facts.ts'
import {
  addToNft,
  burnNft,
  changeByContract,
  mintNft,
  removeFromNft,
} from '../../../support/builders/build-positions.ts'
import { given } from '../../../support/given-chain-a.ts'

const signalSec = 600
const endSec = signalSec + 1800
const creator = buildAddress(0xc0)
const full = 1000n * 10n ** 18n
const at = (secondsAfter: number) => ({ blockAtMs: second(signalSec + secondsAfter) })

const opened = (fields: Partial<PoolCreated> = {}): ChainAFact[] => [
  buildPoolCreated({ blockAtMs: second(0), ...fields }),
  ...mintNft({ id: 1, to: creator, liquidity: full, blockAtMs: second(1) }),
]
const burst = (): ChainAFact[] => Array.from({ length: 8 }, () => buildSwap({ ...at(0), eth: 0.1 }))

function outcomeOf(facts: readonly ChainAFact[], past: readonly ChainAFact[] = opened()): BurstOutcome {
  const settled = given([markets, bursts, outcomes], past).when(...burst(), ...facts)
  const records = [...settled.records, ...settled.wokenAt(second(endSec)).records]
  const outcome = records.find(({ type }) => type === 'BurstOutcome')
  return outcome?.type === 'BurstOutcome' ? outcome.data : expect.fail('no outcome')
}

/** `rug@10 0.85`: second and removed share. */
function rugOf(...given: Parameters<typeof outcomeOf>): string {
  const { rug } = outcomeOf(...given)
  return rug ? `rug@${rug.atSec} ${rug.lpRemoved.toFixed(4)}` : 'none'
}

/** Removes `perMille` thousandths of the full liquidity from the first NFT. */
const takeOut = (secondsAfter: number, perMille: bigint, fields: Readonly<{ txHash?: Hex }> = {}) =>
  removeFromNft({ id: 1, liquidity: (full * perMille) / 1000n, ...at(secondsAfter), ...fields })
const txHash = buildHash(0x7a)
const otherTxHash = buildHash(0x7b)

describe('a rug', () => {
  const cases: readonly [string, readonly ChainAFact[], string][] = [
    ['is a full burn', burnNft({ id: 1, liquidity: full, ...at(10) }), 'rug@10 1.0000'],
    ['is a removal of 85 %', [takeOut(10, 850n)], 'rug@10 0.8500'],
    ['is a removal of exactly 80 %', [takeOut(10, 800n)], 'rug@10 0.8000'],
    ['is no removal of 79 %', [takeOut(10, 790n)], 'none'],
    ['is no two of 40 %, the second of what was left then', [takeOut(10, 400n), takeOut(20, 240n)], 'none'],
    ['is two of 40 % of the whole', [takeOut(10, 400n), takeOut(20, 400n)], 'rug@20 0.8000'],
    [
      'is several removals of one transaction',
      [takeOut(10, 400n, { txHash }), takeOut(10, 450n, { txHash })],
      'rug@10 0.8500',
    ],
    [
      'is no rebalancing: taken out and put back in one transaction',
      [takeOut(10, 1000n, { txHash }), addToNft({ id: 2, liquidity: full, txHash, ...at(10) })],
      'none',
    ],
    [
      'is what is taken out and put back in two, even of one block',
      [takeOut(10, 1000n, { txHash }), addToNft({ id: 2, liquidity: full, txHash: otherTxHash, ...at(10) })],
      'rug@10 1.0000',
    ],
    ['is no poke', [takeOut(10, 0n)], 'none'],
    [
      'is a removal behind a poke of the same transaction',
      [takeOut(10, 0n, { txHash }), takeOut(10, 850n, { txHash })],
      'rug@10 0.8500',
    ],
    [
      'is measured against what was added since too: 85 of 200 is none',
      [addToNft({ id: 2, liquidity: full, ...at(5) }), takeOut(10, 850n)],
      'none',
    ],
    [
      'is no removal of 85 % after a doubling: 0.3 of the signal’s is left',
      [addToNft({ id: 1, liquidity: full, ...at(5) }), takeOut(10, 1700n)],
      'none',
    ],
    [
      'is what leaves a fifth of the signal’s after a doubling',
      [addToNft({ id: 1, liquidity: full, ...at(5) }), takeOut(10, 1800n)],
      'rug@10 0.8000',
    ],
    ['is the first, whatever is taken out afterwards', [takeOut(10, 850n), takeOut(20, 100n)], 'rug@10 0.8500'],
    ['counts at signal + 30 min', [takeOut(1800, 850n)], 'rug@1800 0.8500'],
    ['does not count a second later', [takeOut(1801, 850n)], 'none'],
    [
      'counts liquidity that a contract added',
      [changeByContract(at(5), full), changeByContract(at(10), -full), takeOut(20, 700n)],
      'none',
    ],
    ['is told in whole seconds', [removeFromNft({ id: 1, liquidity: full, ...at(10.9) })], 'rug@10 1.0000'],
  ]
  for (const [name, facts, expected] of cases) it(name, () => expect(rugOf(inOrder(facts))).to.equal(expected))

  it('does not count in the signal block, whether before or behind its swaps', () => {
    expect(rugOf([takeOut(0, 850n)])).to.equal('none')
    expect(rugOf([takeOut(0, 850n), takeOut(10, 130n)])).to.equal('rug@10 0.8667')
    expect(rugOf([], [...opened(), takeOut(0, 850n)])).to.equal('none')
  })

  it('is no later block of the signal’s second left out', () => {
    const { txHash: _, ...later } = { ...at(0), blockNumber: 1601, txHash }
    expect(rugOf([removeFromNft({ id: 1, liquidity: full, ...later })])).to.equal('rug@0 1.0000')
  })

  it('weighs by the ETH side at the price of the moment, not by liquidity', () => {
    // At the current price, this range contains only tokens. So there is no ETH in it that anybody could
    // pull.
    const aside = { id: 2, liquidity: 10_000n * full, tickLower: 0, tickUpper: 60 }
    const past = [...opened(), ...mintNft({ ...aside, to: creator, blockAtMs: second(2) })]
    expect(rugOf([takeOut(10, 850n)], past)).to.equal('rug@10 0.8500')
    expect(rugOf([removeFromNft({ ...aside, ...at(10) })], past)).to.equal('none')
    // After this swap, the position is in ETH and has most of the pool's ETH.
    const high = buildSwap({ ...at(5), px: 1.01 })
    expect(rugOf([high, takeOut(10, 850n)], past)).to.equal('none')
    expect(rugOf([high, removeFromNft({ ...aside, ...at(10) })], past)).to.equal('rug@10 0.9675')
  })

  it('is valued at the price before the transaction, whatever it trades between its changes', () => {
    const narrow = mintNft({
      id: 2,
      to: creator,
      liquidity: 100n * full,
      tickLower: 207_000,
      tickUpper: 207_600,
      blockAtMs: second(2),
    })
    const past = [...opened(), ...narrow]
    const dump = buildSwap({ ...at(10), eth: -1, px: 0.5e-9, txHash })
    const facts = [takeOut(10, 1n, { txHash }), dump, takeOut(10, 500n, { txHash })]
    const { rug } = outcomeOf(facts, past)
    expect(rug).to.equal(null)
  })

  it('is valued at the price before the removal, not at that of a poke of its transaction', () => {
    const narrow = { id: 2, liquidity: 1000n * full, tickLower: 207_000, tickUpper: 207_600 }
    const past = [...opened(), ...mintNft({ ...narrow, to: creator, blockAtMs: second(2) })]
    // At this price, the narrow range contains no ETH.
    const dump = buildSwap({ ...at(10), eth: -1, px: 0.5e-9, txHash })
    const pull = removeFromNft({ ...narrow, ...at(10), txHash })
    expect(rugOf([takeOut(10, 0n, { txHash }), dump, pull], past)).to.equal('none')
    expect(rugOf([takeOut(10, 1n, { txHash }), dump, pull], past)).to.equal('rug@10 0.9465')
  })

  it('is measured from the first add on where there was no liquidity at the signal', () => {
    const add = addToNft({ id: 1, liquidity: full, ...at(5) })
    expect(rugOf([add, takeOut(10, 850n)], [buildPoolCreated({ blockAtMs: second(0) })])).to.equal('rug@10 0.8500')
  })

  it('allows for the rounding of doubles, and for no more', () => {
    const isRug = (left: number) => isPulled(1, left, chainANumbers.outcomes.rugLeftRatioMax)
    expect([0.2, 0.2 + 1e-12, 0.2 + 2e-12].map(isRug)).to.deep.equal([true, true, false])
  })

  it('is seen on v3 too', () => {
    const v3 = [
      buildPoolCreated({ blockAtMs: second(0), dex: 'v3', sqrtPriceX96: null }),
      buildPoolInitialized({ blockAtMs: second(0) }),
      changeByContract({ blockAtMs: second(1) }, full),
    ]
    const burned = changeByContract(at(88), (-full * 95n) / 100n)
    expect(rugOf([burned], v3)).to.equal('rug@88 0.9500')
  })

  it('in the signal block of one burst is one for the burst before it alone', () => {
    const main = Array.from({ length: 4 }, () => buildSwap({ ...at(20), eth: 0.2 }))
    const { records } = given([markets, bursts, outcomes], [...opened(), ...burst()])
      .when(...main, takeOut(20, 900n))
      .wokenAt(second(endSec + 20))
    const rugs = records.map(({ data }) => ('rug' in data ? `${data.tier} ${data.rug?.lpRemoved.toFixed(2)}` : ''))
    expect(rugs).to.deep.equal(['lite 0.90', 'main undefined'])
  })

  it('happens to every burst of the pool in whose window it falls, from what stood at its own signal', () => {
    const main = Array.from({ length: 4 }, () => buildSwap({ ...at(20), eth: 0.2 }))
    const rugsOf = (perMille: bigint) =>
      given([markets, bursts, outcomes], [...opened(), ...burst()])
        .when(takeOut(10, 500n), ...main, takeOut(30, perMille))
        .wokenAt(second(endSec + 20))
        .records.map(({ data }) => ('rug' in data ? `${data.tier} ${data.rug?.lpRemoved.toFixed(2)}` : ''))
    expect(rugsOf(350n)).to.deep.equal(['lite 0.85', 'main undefined'])
    expect(rugsOf(450n)).to.deep.equal(['lite 0.95', 'main 0.90'])
  })
})

const inOrder = (facts: readonly ChainAFact[]): ChainAFact[] =>
  [...facts].sort((left, right) => left.data.blockAtMs - right.data.blockAtMs)

/** `rug@70 0.00`: why, second, price. */
function exitsOf(facts: readonly ChainAFact[]): Record<string, string> {
  const { exits } = outcomeOf(facts)
  return Object.fromEntries(exits.map(({ rule, why, sec, ret }) => [rule, `${why}@${sec} ${(ret + 1.02).toFixed(2)}`]))
}

const swap = (secondsAfter: number, px: number, fields: SwapFields = {}) =>
  buildSwap({ ...at(secondsAfter), eth: 0.01, px: px * 1e-9, ...fields })

describe('the exits of a burst that was rugged', () => {
  it('are all lost that were not taken, and hold says that it held', () => {
    const lost = 'rug@50 0.00'
    expect(exitsOf([swap(10, 1.6), takeOut(50, 850n)])).to.deep.equal({
      live: lost,
      hold: 'held_rug@50 0.00',
      fade: lost,
      stall: lost,
      'take-profit-50': 'take_profit@10 1.60',
      'take-profit-100': lost,
      'trail-20': lost,
      'time-5m': lost,
      'time-10m': lost,
    })
  })

  it('stand where time ran out before the rug, and not where it ran out at its very instant', () => {
    const { stall, live } = exitsOf([swap(1, 0.95), takeOut(61, 850n)])
    expect([stall, live]).to.deep.equal(['burst_stall@60 0.95', 'burst_stall@60 0.95'])
    expect(exitsOf([swap(1, 0.95), takeOut(60, 850n)]).stall).to.equal('rug@60 0.00')
  })

  it('do not count swaps after the pull, nor does the peak', () => {
    const outcome = outcomeOf([swap(10, 1.2), takeOut(20, 850n), swap(21, 9), swap(22, 0.1)])
    expect(outcome.exits.find(({ rule }) => rule === 'take-profit-100')?.why).to.equal('rug')
    expect(outcome.peakRet).to.be.closeTo(0.18, 1e-9)
    expect(outcome.ret30m).to.equal(-1.02)
    expect(outcome.ruleRet).to.equal(-1.02)
  })

  it('count swaps of the transaction that pulls: it ends behind them', () => {
    const facts = [takeOut(20, 850n, { txHash }), swap(20, 2, { txHash }), swap(20, 3, { txHash: otherTxHash })]
    const exits = exitsOf(facts)
    expect(exits['take-profit-100']).to.equal('take_profit@20 2.00')
    expect(exits.hold).to.equal('held_rug@20 0.00')
  })

  it('stay where the stop had thrown them out', () => {
    const exits = exitsOf([swap(10, 0.8), takeOut(20, 850n)])
    expect(new Set(Object.values(exits))).to.deep.equal(new Set(['stop@10 0.80']))
  })
})
