import { expect } from 'chai'
import { hexOfBase58 } from '../../../infra/base58.ts'
import { createReserveChain, type Gap } from '../../../ingest/chain-b/reserves/reserve-chain.ts'
import {
  beforeTrade,
  costOfTokens,
  curveFill,
  feeOf,
  isStandardCurve,
  launchReserves,
  priceRatio,
  priceSol,
  proceedsOfTokens,
} from '../../../schemas/chain-b/curve.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { RecordedTrade } from '../../support/chain-b/fixtures.ts'
import { recordedMarket } from '../../support/chain-b/recorded-market.ts'
import { groupBy } from '../../support/group-by.ts'

type Row = Readonly<{ key: string; trade: CurveTraded; recorded: RecordedTrade }>

const rows: readonly Row[] = recordedMarket().flatMap(({ trades, facts }) =>
  trades.map((recorded, index) => {
    const { key, fact } = facts[index]!
    if (fact.type !== 'CurveTraded') expect.fail(`a ${fact.type}`)
    return { key, trade: fact.data, recorded }
  }),
)

describe('the recorded trades, fed as events of the program', () => {
  it('are 1,499 facts of three mints with the recorded reserves, amounts, fees and traders', () => {
    expect(rows).to.have.lengthOf(1499)
    expect(new Set(rows.map(({ key }) => key)).size).to.equal(3)
    for (const { key, trade, recorded } of rows) {
      const sign = recorded.isBuy ? 1n : -1n
      expect(key).to.equal(recorded.mint)
      expect(trade).to.deep.include({
        trader: hexOfBase58(recorded.user, 32),
        quoteRaw: sign * recorded.sol,
        tokenRaw: sign * recorded.tokens,
        virtualQuoteRaw: recorded.virtualSol,
        virtualTokenRaw: recorded.virtualTokens,
        realQuoteRaw: recorded.realSol,
        realTokenRaw: recorded.realTokens,
        feeRaw: recorded.fee,
        creatorFeeRaw: recorded.creatorFee,
        rewardsRaw: 0n,
        quoteMint: null,
        isMayhem: false,
        blockNumber: recorded.slot,
        blockAtMs: recorded.time * 1000,
      })
    }
  })

  it('have the recorded price: the average of the trade, which is the SOL before it by the tokens after it', () => {
    for (const { trade, recorded } of rows) {
      const { quoteRaw } = beforeTrade(trade)
      const average = priceSol({ quoteRaw, tokenRaw: trade.virtualTokenRaw })
      expect(Math.abs(average - Number(recorded.price))).to.be.at.most(0.500001e-10)
    }
  })

  it('cost and pay what the formulas say, to the lamport, and both fees', () => {
    for (const { trade, recorded } of rows) {
      const before = beforeTrade(trade)
      const amount = recorded.isBuy ? costOfTokens(before, recorded.tokens) : proceedsOfTokens(before, recorded.tokens)
      expect(amount).to.equal(recorded.sol)
      expect(feeOf(recorded.sol, recorded.feeBps)).to.equal(recorded.fee)
      expect(feeOf(recorded.sol, recorded.creatorFeeBps)).to.equal(recorded.creatorFee)
    }
  })

  it('are of standard curves, whose price is proportional to the square of the virtual SOL', () => {
    const begin = { ...launchReserves }
    for (const { trade } of rows) {
      expect(isStandardCurve(trade)).to.equal(true)
      const price = priceSol({ quoteRaw: trade.virtualQuoteRaw, tokenRaw: trade.virtualTokenRaw })
      const ratio = priceRatio(Number(trade.virtualQuoteRaw), Number(begin.quoteRaw))
      expect(price / priceSol(begin) / ratio).to.be.closeTo(1, 1e-8)
    }
  })

  it('fill the curves up to what was recorded', () => {
    const fills = groupBy(rows, ({ key }) => key)
    const highest = [...fills.values()].map((of) => Math.max(...of.map(({ trade }) => curveFill(trade.realTokenRaw))))
    expect(highest.map((fill) => fill.toFixed(4)).sort()).to.deep.equal(['0.2828', '0.4778', '0.5390'])
  })
})

/**
 * Returns the gaps in the recorded trades. The chain of reserves finds a gap when a trade does not begin at
 * the reserves after the trade before it.
 */
function gapsIn(trades: readonly Row[]): readonly Readonly<{ before: Row; gap: Gap }>[] {
  const chain = createReserveChain()
  for (const { key, trade } of trades) chain.begin(key, launchReserves, trade.blockNumber)
  return trades.flatMap((row) => {
    const link = chain.follow(row.key, row.trade)
    return link.kind === 'broken' ? [{ before: row, gap: link.gap }] : []
  })
}

describe('the chain of reserves', () => {
  const byMint = [...groupBy(rows, ({ key }) => key).values()]

  it('has no gap in the recorded trades', () => {
    expect(gapsIn(rows)).to.deep.equal([])
  })

  it('shows every removed row but the three last at the next one, with the very amounts', () => {
    let found = 0
    for (const trades of byMint)
      for (const [index, removed] of trades.slice(0, -1).entries()) {
        const gaps = gapsIn(trades.toSpliced(index, 1))
        expect(gaps).to.have.lengthOf(1)
        expect(gaps[0]?.before).to.equal(trades[index + 1])
        const { missingQuoteRaw, missingTokenRaw } = gaps[0]!.gap
        expect([missingQuoteRaw, missingTokenRaw]).to.deep.equal([removed.trade.quoteRaw, removed.trade.tokenRaw])
        found++
      }
    expect(found).to.equal(1496)
  })

  it('shows a removed last row against the curve’s account', () => {
    for (const trades of byMint) {
      const chain = createReserveChain()
      const last = trades.at(-1)!
      chain.begin(last.key, launchReserves, 1)
      for (const { key, trade } of trades.slice(0, -1)) chain.follow(key, trade)
      const account = { quoteRaw: last.trade.virtualQuoteRaw, tokenRaw: last.trade.virtualTokenRaw }
      expect(chain.gapUpTo(last.key, account)).to.deep.equal({
        lastSlot: trades.at(-2)!.trade.blockNumber,
        missingQuoteRaw: last.trade.quoteRaw,
        missingTokenRaw: last.trade.tokenRaw,
      })
      chain.follow(last.key, last.trade)
      expect(chain.gapUpTo(last.key, account)).to.equal(null)
    }
  })

  it('adds up what several missing rows in a row did, and goes on behind them', () => {
    const [trades = []] = byMint
    const removed = trades.slice(100, 105)
    const gaps = gapsIn([...trades.slice(0, 100), ...trades.slice(105)])
    const sum = (name: 'quoteRaw' | 'tokenRaw') => removed.reduce((total, { trade }) => total + trade[name], 0n)
    expect(gaps.map(({ gap }) => gap)).to.deep.equal([
      {
        lastSlot: trades[99]?.trade.blockNumber,
        missingQuoteRaw: sum('quoteRaw'),
        missingTokenRaw: sum('tokenRaw'),
      },
    ])
  })

  it('knows a stranger by its first trade, and leaves curves in mayhem mode out', () => {
    const chain = createReserveChain()
    const [first, second, third] = byMint[0]!
    expect(chain.follow('s', second!.trade)).to.deep.equal({ kind: 'unknown' })
    expect(chain.follow('s', third!.trade)).to.deep.equal({ kind: 'linked' })
    expect(chain.follow('s', first!.trade).kind).to.equal('broken')
    chain.forget('s')
    expect(chain.follow('s', first!.trade)).to.deep.equal({ kind: 'unknown' })
    for (const { trade } of [second!, first!, third!])
      expect(chain.follow('mayhem', { ...trade, isMayhem: true })).to.deep.equal({ kind: 'linked' })
    expect(chain.lastOf('mayhem')).to.equal(undefined)
  })
})
