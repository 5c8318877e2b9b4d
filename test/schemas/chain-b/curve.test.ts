import { expect } from 'chai'
import fc from 'fast-check'
import {
  afterTrade,
  beforeTrade,
  costOfTokens,
  curveFill,
  feeOf,
  forSaleRaw,
  isStandardCurve,
  launchProduct,
  launchReserves,
  priceRatio,
  priceSol,
  proceedsOfTokens,
  type Reserves,
  tokensForCost,
  unsoldVirtualRaw,
} from '../../../schemas/chain-b/curve.ts'
import { afterPoolTrade, beforePoolTrade, costInPool, proceedsInPool } from '../../../schemas/chain-b/pool.ts'
import { recordedEvents } from '../../support/chain-b/fixtures.ts'

/** Returns the reserves of a standard curve after `sold` tokens were sold. */
const curveWith = (sold: bigint): Reserves =>
  sold === 0n
    ? launchReserves
    : afterTrade(launchReserves, { quoteRaw: costOfTokens(launchReserves, sold), tokenRaw: sold })

const sold = fc.bigInt({ min: 0n, max: forSaleRaw - 1_000_000n })
const tokens = fc.bigInt({ min: 1n, max: 1_000_000n })

describe('the bonding curve', () => {
  it('opens at 27.959 SOL for all tokens, and is complete at 85.005 SOL, 14.696 times that', () => {
    expect((priceSol(launchReserves) * 1e9).toFixed(3)).to.equal('27.959')
    const complete = curveWith(forSaleRaw)
    expect(complete.tokenRaw).to.equal(unsoldVirtualRaw)
    expect(Number(complete.quoteRaw - launchReserves.quoteRaw) / 1e9).to.be.closeTo(85.005359, 1e-6)
    expect(priceSol(complete) / priceSol(launchReserves)).to.be.closeTo(14.696, 0.001)
  })

  it('fills and rises as the table of its constants says', () => {
    const table = [
      ...[
        [0.25, 6.8, 1.505],
        [0.5, 17.587, 2.516],
        [0.75, 37.318, 5.035],
      ],
      ...[
        [0.9, 59.613, 8.923],
        [1, 85.005, 14.696],
      ],
    ]
    for (const [fill = 0, realSol = 0, ratio = 0] of table) {
      const bought = BigInt(Math.round(fill * Number(forSaleRaw)))
      const { quoteRaw } = curveWith(bought)
      expect(curveFill(forSaleRaw - bought)).to.be.closeTo(fill, 1e-12)
      expect(Number(quoteRaw - launchReserves.quoteRaw) / 1e9).to.be.closeTo(realSol, 0.001)
      expect(priceRatio(Number(quoteRaw), Number(launchReserves.quoteRaw))).to.be.closeTo(ratio, 0.001)
    }
  })

  it('never pays for tokens what they cost, nor gives more of them for SOL than that SOL buys', () => {
    fc.assert(
      fc.property(sold, tokens, (before, bought) => {
        const curve = curveWith(before)
        const cost = costOfTokens(curve, bought)
        const after = afterTrade(curve, { quoteRaw: cost, tokenRaw: bought })
        expect(proceedsOfTokens(after, bought) < cost).to.equal(true)
        const got = tokensForCost(curve, cost)
        // The difference is at most the number of tokens that one lamport buys.
        expect(got <= bought && bought - got <= curve.tokenRaw / curve.quoteRaw + 1n).to.equal(true)
        expect(costOfTokens(curve, got) <= cost).to.equal(true)
        expect(after.quoteRaw * after.tokenRaw >= launchProduct).to.equal(true)
      }),
    )
  })

  it('gives what a recorded buyer got who said what to spend', () => {
    expect(tokensForCost(launchReserves, 2_962_962_962n)).to.equal(96_449_438_144_093n)
    expect(tokensForCost(launchReserves, 1n)).to.equal(0n)
    expect(tokensForCost(launchReserves, 0n)).to.equal(0n)
  })

  it('rounds fees up', () => {
    expect([feeOf(10_000n, 95n), feeOf(10_001n, 95n), feeOf(0n, 95n), feeOf(1n, 0n)]).to.deep.equal([95n, 96n, 0n, 0n])
  })

  it('goes back to where a trade began', () => {
    const traded = { virtualQuoteRaw: 31_000n, virtualTokenRaw: 900n, quoteRaw: -500n, tokenRaw: -40n }
    const before = beforeTrade(traded)
    expect(before).to.deep.equal({ quoteRaw: 31_500n, tokenRaw: 860n })
    expect(afterTrade(before, traded)).to.deep.equal({ quoteRaw: 31_000n, tokenRaw: 900n })
  })
})

describe('a standard curve', () => {
  const { quoteRaw, tokenRaw } = curveWith(100_000_000_000_000n)
  const standard = {
    ...{ quoteMint: null, isMayhem: false, virtualQuoteRaw: quoteRaw, virtualTokenRaw: tokenRaw },
    ...{ realQuoteRaw: quoteRaw - launchReserves.quoteRaw, realTokenRaw: tokenRaw - unsoldVirtualRaw },
  } as const

  it('is against SOL, not in mayhem mode, and has the constants of all launches', () => {
    expect(isStandardCurve(standard)).to.equal(true)
    const others = [
      { quoteMint: '0x01' as const },
      { isMayhem: true },
      { realQuoteRaw: standard.realQuoteRaw + 1n },
      { realTokenRaw: standard.realTokenRaw - 1n },
      { virtualQuoteRaw: quoteRaw * 2n, realQuoteRaw: quoteRaw * 2n - launchReserves.quoteRaw },
      { virtualQuoteRaw: quoteRaw - 1_000n, realQuoteRaw: quoteRaw - 1_000n - launchReserves.quoteRaw },
    ]
    for (const other of others) expect(isStandardCurve({ ...standard, ...other })).to.equal(false)
  })
})

describe('the pool of a graduated mint', () => {
  it('prices every recorded trade to the last unit', () => {
    const trades = recordedEvents().filter(({ event }) => event === 'BuyEvent' || event === 'SellEvent')
    expect(trades).to.have.lengthOf(7)
    for (const { event, decoded } of trades) {
      const of = (name: string) => BigInt(String(decoded[name] ?? 0))
      const pool = {
        quoteRaw: of('pool_quote_token_reserves') + of('virtual_quote_reserves'),
        tokenRaw: of('pool_base_token_reserves'),
      }
      if (event === 'BuyEvent') expect(costInPool(pool, of('base_amount_out'))).to.equal(of('quote_amount_in'))
      else expect(proceedsInPool(pool, of('base_amount_in'))).to.equal(of('quote_amount_out'))
    }
  })

  it('keeps the fee of its liquidity providers', () => {
    const before = { quoteRaw: 1000n, tokenRaw: 500n }
    const buy = { quoteRaw: 100n, tokenRaw: 45n, lpFeeRaw: 2n }
    const sale = { quoteRaw: -100n, tokenRaw: -60n, lpFeeRaw: 2n }
    expect(afterPoolTrade(before, buy)).to.deep.equal({ quoteRaw: 1102n, tokenRaw: 455n })
    expect(afterPoolTrade(before, sale)).to.deep.equal({ quoteRaw: 902n, tokenRaw: 560n })
    for (const trade of [buy, sale]) {
      const after = afterPoolTrade(before, trade)
      expect(beforePoolTrade({ ...trade, poolQuoteRaw: after.quoteRaw, poolTokenRaw: after.tokenRaw })).to.deep.equal(
        before,
      )
    }
  })
})
