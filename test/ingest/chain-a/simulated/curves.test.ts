import { expect } from 'chai'
import type { ChainAFact, CurveTraded } from '../../../../schemas/chain-a/facts.ts'
import { factsOf, hourMs, rangesOf } from './tell.ts'

const wholeBps = 10_000n
const nobody = `0x${'0'.repeat(40)}`

describe('the curves of the simulated market', () => {
  const fromMs = Date.UTC(2026, 10, 20, 3)
  const byToken = new Map<string, ChainAFact[]>()
  const chapters = () => [...byToken.values()].filter(([first]) => first?.type === 'CurveLaunched')

  before(async () => {
    const told = { seed: 7, fromMs, toMs: fromMs + 8 * hourMs, launchesPerDay: 480 }
    for (const { key, fact } of factsOf(await rangesOf(told))) byToken.set(key, [...(byToken.get(key) ?? []), fact])
  })

  it('move by the contract’s own arithmetic: fees of 1 % and the creator’s tax, tokens of the constant product', () => {
    let [bought, sold] = [0, 0]
    for (const facts of chapters()) {
      const trades = facts.flatMap((fact) => (fact.type === 'CurveTraded' ? [fact.data] : []))
      const [launched] = facts
      const state = {
        phantomWei: launched?.type === 'CurveLaunched' ? launched.data.phantomWei : 0n,
        reserveWei: 0n,
        tokensRaw: 10n ** 27n,
      }
      for (const [index, trade] of trades.entries()) checkTrade(state, trade, index < trades.length - 1)
      bought += trades.filter(({ ethWei }) => ethWei > 0n).length
      sold += trades.filter(({ ethWei }) => ethWei < 0n).length
    }
    expect(bought).to.be.above(500)
    expect(sold).to.be.above(100)
  })

  it('complete at 4.2 ETH and some wei, and some minutes later go into a pool whose position is locked', () => {
    let graduated = 0
    for (const facts of chapters()) {
      const completedAt = facts.findIndex(({ type }) => type === 'CurveCompleted')
      if (completedAt < 0) continue
      const before = facts.slice(0, completedAt)
      const reserveWei = before.reduce(
        (sum, { type, data }) => (type === 'CurveTraded' ? sum + data.ethWei - data.feeWei - data.taxWei : sum),
        0n,
      )
      const overWei = reserveWei - 4_200_000_000_000_000_000n
      expect(overWei >= 0n && overWei < 1000n, `${overWei} wei over`).to.equal(true)
      const [, graduation, created, minted, added, ...later] = facts.slice(completedAt)
      if (!graduation) continue
      graduated++
      expect([graduation.type, created?.type, minted?.type, added?.type]).to.deep.equal([
        ...['CurveGraduated', 'PoolCreated', 'PositionTransferred', 'LiquidityChanged'],
      ])
      expect(new Set([graduation, created, minted, added].map((fact) => fact?.data.txHash)).size).to.equal(1)
      expect(minted?.data).to.include({
        from: nobody,
        positionId: 'positionId' in graduation.data && graduation.data.positionId,
      })
      expect(later.some(({ type }) => type.startsWith('Curve'))).to.equal(false)
    }
    expect(graduated).to.be.above(3)
  })

  it('are left alone for the most part, with a symbol and a creator of their own', () => {
    const launched = chapters().flatMap(([fact]) => (fact?.type === 'CurveLaunched' ? [fact.data] : []))
    expect(launched.length).to.be.above(20)
    expect(new Set(launched.map(({ curve }) => curve)).size).to.equal(launched.length)
    for (const { symbol, creator } of launched) {
      expect(symbol).to.match(/^[A-Z]{2,9}$/)
      expect(creator).to.match(/^0x[0-9a-f]{40}$/)
    }
    const completed = chapters().filter((facts) => facts.some(({ type }) => type === 'CurveCompleted'))
    expect(completed.length).to.be.below(launched.length / 2)
  })
})

type CurveState = { readonly phantomWei: bigint; reserveWei: bigint; tokensRaw: bigint }

/**
 * Checks a trade against the formula of the curve. `isWhole` is false for the last buy, which gets only the
 * tokens that are left.
 */
function checkTrade(state: CurveState, { ethWei, feeWei, taxWei, tokenRaw }: CurveTraded, isWhole: boolean): void {
  const netWei = ethWei - feeWei - taxWei
  const grossWei = ethWei > 0n ? ethWei : -netWei
  expect(feeWei).to.equal((grossWei * 100n) / wholeBps)
  expect(taxWei <= (grossWei * 500n) / wholeBps).to.equal(true)
  const tokens = (state.tokensRaw * netWei) / (state.phantomWei + state.reserveWei + netWei)
  if (ethWei > 0n && isWhole) expect(tokenRaw).to.equal(tokens)
  state.reserveWei += netWei
  state.tokensRaw -= tokenRaw
  expect(state.reserveWei >= 0n && state.tokensRaw > 0n).to.equal(true)
}
