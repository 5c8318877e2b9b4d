/** Tests where the simulated copy of a big buy is filled, and how it is sold. */
import { expect } from 'chai'
import { copies } from '../../../../processors/chain-b/copies/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import type { CopyClosed } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildPoolTraded,
  given,
  leftAt,
  reservesWith,
} from '../../../support/chain-b/build-facts.ts'
import { drawMarket, inPool, onCurve, openedAt } from './draw-market.ts'

const launched = buildCurveLaunched({ blockAtMs: second(0) })

function hoursOf(...facts: readonly ChainBFact[]): CopyClosed[] {
  const then = given([mints, copies], [launched]).when(...facts)
  const records = [...then.records, ...then.wokenAt(second(180_000)).records]
  return records.flatMap((record) => (record.type === 'CopyClosed' ? [record.data] : []))
}
const hourOf = (...facts: readonly ChainBFact[]): CopyClosed => hoursOf(...facts)[0] as CopyClosed

const big = (price: number) => onCurve(600, price, { sol: 2 })
const completed = (atSec: number) => buildCurveCompleted({ blockAtMs: second(atSec) })
const migrated = (atSec: number, price: number) => buildCurveMigrated({ blockAtMs: second(atSec), ...openedAt(price) })
const driftOf = (...facts: readonly ChainBFact[]) => {
  const { quoteDrift } = hourOf(...facts)
  return quoteDrift === null ? null : Math.round(quoteDrift * 100)
}

describe('the fill of a copy', () => {
  const slot = (number: number, price: number) => onCurve(600 + (number - 1600), price, { slot: number })
  /**
   * The buy is in slot 1600 at a price of 100. The number in each case is the drift of the price in percent.
   */
  const cases: readonly [string, number | null, readonly ChainBFact[]][] = [
    ['is at the buy’s price if no trade follows', 0, [big(100)]],
    ['is after the last trade of the next slot', 20, [big(100), slot(1601, 110), slot(1601, 120), slot(1602, 130)]],
    ['is after the last trade of its own slot if the next has none', 5, [big(100), slot(1600, 105), slot(1602, 130)]],
    ['waits for the pool if the curve is complete by then', 30, [big(100), completed(601), migrated(640, 130)]],
    [
      'is at the end of the slot of the migration',
      40,
      [big(100), completed(601), migrated(640, 130), inPool(640, 140), inPool(641, 90)],
    ],
    ['is on the curve that is completed later', 10, [big(100), slot(1601, 110), completed(602), migrated(640, 130)]],
    ['is in a pool that opens in time', 30, [big(100), completed(600), migrated(601, 130)]],
    ['does not come if the pool opens after the time stop', null, [big(100), completed(600), migrated(2400.001, 130)]],
    ['comes with a pool that opens at the time stop', 30, [big(100), completed(600), migrated(2400, 130)]],
  ]
  for (const [name, drift, facts] of cases) it(name, () => expect(driftOf(...facts)).to.equal(drift))

  it('pays what the curve’s formula says, and the leader’s rates of fees, each kind rounded up', () => {
    const fees = { feeRaw: 9_500_001n, creatorFeeRaw: 500_000n, rewardsRaw: 2_000_000n }
    const buy = buildCurveTraded({ blockAtMs: second(600), quoteRaw: 1_000_000_000n, tokenRaw: 10n ** 13n, ...fees })
    const { virtualQuoteRaw: x, virtualTokenRaw: y } = buy.data
    const tokens = (249_999_999n * y) / (x + 249_999_999n)
    const paid = 250_000_000 + 2_375_000 + 125_000 + 500_000
    const leaderPaid = 1_012_000_001
    const hour = hourOf(buy)
    expect(hour.fillSlip).to.equal(paid / Number(tokens) / (leaderPaid / 1e13) - 1)
    const proceeds = (x * tokens) / (y + tokens)
    const feeOf = (bps: bigint) => (proceeds * bps + 9999n) / 10_000n
    expect(hour.ret).to.equal(Number(proceeds - feeOf(95n) - feeOf(5n) - feeOf(20n)) / paid - 1)
  })

  it('pays fees at rates in basis points, rounded down', () => {
    const buy = buildCurveTraded({
      blockAtMs: second(600),
      quoteRaw: 10n ** 9n,
      tokenRaw: 10n ** 13n,
      feeRaw: 9_499_999n,
    })
    const { virtualQuoteRaw: x, virtualTokenRaw: y } = buy.data
    const tokens = (249_999_999n * y) / (x + 249_999_999n)
    expect(hourOf(buy).fillSlip).to.equal((250_000_000 + 2_350_000) / Number(tokens) / (1_009_499_999 / 1e13) - 1)
  })

  it('costs the stake where that buys just what is left', () => {
    const terms = { blockAtMs: second(600), quoteRaw: 2n * 10n ** 9n, tokenRaw: 1000n }
    const buy = buildCurveTraded({
      ...terms,
      virtualQuoteRaw: 3n * 10n ** 10n,
      virtualTokenRaw: 1000n,
      realTokenRaw: 8n,
    })
    expect(hourOf(buy).fillSlip).to.equal(250_000_000 / 8 / (2e9 / 1000) - 1)
  })

  it('is of what is left if that is less than the stake buys', () => {
    const fields = { blockAtMs: second(600), quoteRaw: 2n * 10n ** 9n, tokenRaw: 10n ** 13n }
    const buy = buildCurveTraded({ ...fields, realTokenRaw: 1000n })
    const { virtualQuoteRaw: x, virtualTokenRaw: y } = reservesWith(1000n)
    const cost = Number((x * 1000n) / (y - 1000n) + 1n)
    expect(hourOf(buy).fillSlip).to.equal(cost / 1000 / (2e9 / 1e13) - 1)
    expect(leftAt(1)).to.equal(0n)
  })

  it('pays what the pool’s formula says, with the fee of the liquidity providers', () => {
    const fees = { lpFeeRaw: 2_000_000n, feeRaw: 500_000n, creatorFeeRaw: 0n }
    const buy = buildPoolTraded({ blockAtMs: second(720), quoteRaw: 10n ** 9n, tokenRaw: 2n * 10n ** 12n, ...fees })
    const { poolQuoteRaw: quote, poolTokenRaw: token } = buy.data
    const tokens = (250_000_000n * token) / (quote + 250_000_000n)
    const left = token - tokens
    const cost = Number((quote * tokens + left - 1n) / left)
    const paid = cost + Math.ceil(cost * 0.002) + Math.ceil(cost * 0.0005)
    const hour = hourOf(completed(700), migrated(710, 100), buy)
    expect(hour.fillSlip).to.equal(paid / Number(tokens) / (1_002_500_000 / 2e12) - 1)
    const proceeds = (quote * tokens) / (token + tokens)
    const taken = (proceeds * 20n + 9999n) / 10_000n + (proceeds * 5n + 9999n) / 10_000n
    expect(hour.ret).to.equal(Number(proceeds - taken) / paid - 1)
  })

  it('of a small buy is told too, its return and exit are not', () => {
    const small = (lamports: bigint) => hourOf(buildCurveTraded({ blockAtMs: second(600), quoteRaw: lamports }))
    const { fillSlip, quoteDrift, ...rest } = small(999_999_999n)
    expect([fillSlip, quoteDrift]).to.not.include(null)
    expect([rest.ret, rest.exit, rest.exitSec]).to.deep.equal([null, null, null])
    expect(small(1_000_000_000n).exit).to.equal('time')
  })
})

describe('the exit of a copy', () => {
  /** One word is a minute, and its number is the price. The expected text is `why@minute`. */
  const cases: readonly [string, string, string][] = [
    ['stops at -20 %', 'B100 110 80', 'stop@2'],
    ['does not stop above', 'B100 110 80.1', 'time@30'],
    ['stops where the price gaps through', 'B100 10', 'stop@1'],
    ['takes profit at +100 %', 'B100 200', 'take_profit@1'],
    ['takes none below', 'B100 199', 'time@30'],
    ['trails 20 % below the high once it is 35 % up', 'B100 136 108', 'trail@2'],
    ['trails from 35 % exactly', 'B60 81 64', 'trail@2'],
    ['does not trail before', 'B100 134 90', 'time@30'],
    ['trails below a high that came later, slowly', 'B100 136 150 160 149 129 128', 'trail@6'],
    ['is stopped rather than trailed', 'B100 140 79', 'stop@2'],
    ['leaves in time at the last price', 'B100 120 130', 'time@30'],
    ['counts a trade at the very time stop', `B100${' .'.repeat(29)} 200`, 'take_profit@30'],
    ['counts none behind it', `B100${' .'.repeat(30)} 200`, 'time@30'],
    ['happens once', 'B100 80 300', 'stop@1'],
    ['is of each buy by itself', 'B100 110 B150 136 105', 'trail@4 stop@2'],
    ['has its high since its own fill', 'B100 190 B120 165 133 132', 'trail@2 trail@3'],
  ]
  for (const [name, drawing, expected] of cases)
    it(`${name}: ${drawing.replaceAll(/( \.){5,}/g, ' …')}`, () => {
      const exits = hoursOf(...drawMarket(600, drawing)).map(({ exit, exitSec }) => `${exit}@${(exitSec ?? 0) / 60}`)
      expect(exits.join(' ')).to.equal(expected)
    })

  it('does not see the trades of the slot of its fill', () => {
    const next = (number: number, price: number) => onCurve(601, price, { slot: number })
    expect(hourOf(big(100), next(1601, 300), next(1601, 100), next(1602, 100)).exit).to.equal('time')
    expect(hourOf(big(100), next(1601, 100), next(1602, 300)).exit).to.equal('take_profit')
  })

  it('does not come of a trade on a complete curve, nor of one in a pool that is not open', () => {
    const open = [big(100), completed(650)]
    expect(hourOf(...open, onCurve(655, 10), migrated(660, 100)).exit).to.equal('time')
    expect(hourOf(...open, inPool(655, 10), migrated(660, 100)).exit).to.equal('time')
  })

  it('does not come of a migration that is told again', () => {
    expect(hourOf(big(100), completed(650), migrated(660, 100), migrated(700, 10)).exit).to.equal('time')
  })

  it('can come of the price that the pool opens with', () => {
    const { exit, exitSec } = hourOf(big(100), completed(650), migrated(660, 70))
    expect([exit, exitSec]).to.deep.equal(['stop', 60])
  })

  it('by time is on the curve’s last reserves while its pool is not there', () => {
    const open = [big(100), onCurve(700, 120)]
    const { ret, exit } = hourOf(...open, completed(710), migrated(2500, 10))
    expect(exit).to.equal('time')
    expect(ret).to.equal(hourOf(...open).ret)
  })

  it('in the pool costs what the newest large buy there did, its own trade included', () => {
    const rates = (lpFeeRaw: bigint, atSec: number, price: number) =>
      buildPoolTraded({ blockAtMs: second(atSec), quoteRaw: 10n ** 9n, lpFeeRaw, ...openedAt(price) })
    const open = [big(100), completed(650), migrated(660, 100)]
    const retOf = (...facts: readonly ChainBFact[]) => hourOf(...open, ...facts).ret ?? 0
    const free = retOf(inPool(700, 200))
    const net = (share: number) => (1 + free) * (1 - share) - 1
    expect(retOf(rates(30_000_000n, 690, 100), rates(50_000_000n, 700, 200))).to.be.closeTo(net(0.05), 1e-8)
    expect(retOf(rates(30_000_000n, 690, 100), inPool(700, 200))).to.be.closeTo(net(0.03), 1e-8)
  })

  it('is not capped: its reader does that', () => expect(hourOf(big(100), onCurve(700, 500)).ret).to.be.above(3))
})
