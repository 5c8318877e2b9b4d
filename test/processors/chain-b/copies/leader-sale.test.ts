/** Tests the first sale of the leader after its buy. */
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
  buildKey,
  given,
} from '../../../support/chain-b/build-facts.ts'
import { inPool, leader, onCurve } from './draw-market.ts'

const launched = buildCurveLaunched({ blockAtMs: second(0) })

function salesOf(...facts: readonly ChainBFact[]): CopyClosed['leaderSale'][] {
  const then = given([mints, copies], [launched]).when(...facts)
  const records = [...then.records, ...then.wokenAt(second(180_000)).records]
  return records.flatMap((record) => (record.type === 'CopyClosed' ? [record.data.leaderSale] : []))
}

/**
 * Returns the first sales of the drawn trades. One column is ten minutes. `B` is a buy by the leader of 100
 * tokens for 1 SOL. `b` is the same for 0.1 SOL, which is too small to be followed. A digit is a sale by the
 * leader of that many tens of tokens, and `0` means 100 tokens. `x` is a sale by another trader, and `.` is
 * nothing.
 */
function drawn(drawing: string): string {
  const facts = [...drawing].flatMap((mark, column) => {
    const atSec = 600 + column * 600
    const by = (trader: typeof leader, sol: number, tokens: bigint) => [onCurve(atSec, 100, { trader, sol, tokens })]
    if (mark === '.') return []
    if (mark === 'B') return by(leader, 1, 100n)
    if (mark === 'b') return by(leader, 0.1, 100n)
    if (mark === 'x') return by(buildKey(0x5e), -0.5, -100n)
    return by(leader, -0.5, -10n * BigInt(mark === '0' ? 10 : mark))
  })
  const texts = salesOf(...facts).map((sale) => (sale ? `${sale.afterSec / 60}:${Number(sale.share.toFixed(3))}` : '-'))
  return texts.join(' ')
}

describe('the first sale of the leader after its buy', () => {
  /** The expected text has `minutes:share` for each buy, or `-` for no sale. */
  const cases: readonly [string, string, string][] = [
    ['is of the share that it sells', 'B.3', '20:0.3'],
    ['is the first one', 'B3.0', '10:0.3'],
    ['is nobody else’s', 'Bxx', '-'],
    ['comes within the hour, its last instant included', 'B.....0', '60:1'],
    ['comes no later', 'B......0', '-'],
    ['is the same of two buys before it, and a share of both', 'B.B.0', '40:0.5 20:0.5'],
    ['is another of a buy behind it', 'B5B.0', '10:0.5 20:0.667'],
    ['to zero leaves nothing: a later buy begins anew', 'B0B.5', '10:1 20:0.5'],
    ['of more than it bought is of all: tokens came in from elsewhere', 'B5.B.00', '10:0.5 20:0.667'],
    ['does not count small buys', 'b.B.0', '20:1'],
    ['counts what a small buy added as sold from elsewhere', 'B.b.0', '40:1'],
    ['is of what it bought since the hours of all its buys were over', 'B.......B5', '- 10:0.5'],
    ['is of an older buy too whose hour is over, while another is open', 'B...B....5', '- 50:0.25'],
  ]
  for (const [name, drawing, expected] of cases)
    it(`${name}: ${drawing}`, () => expect(drawn(drawing)).to.equal(expected))

  it('may be in the same transaction', () => {
    const txHash = buildKey(0x7f)
    const place = { blockAtMs: second(600), txHash, trader: leader }
    const bought = buildCurveTraded({ ...place, logIndex: 0, sol: 1, tokenRaw: 100n })
    const sold = buildCurveTraded({ ...place, logIndex: 1, sol: -1, tokenRaw: -100n })
    expect(salesOf(bought, sold)).to.deep.equal([{ afterSec: 0, share: 1, gain: 0 }])
    expect(salesOf(sold, bought)).to.deep.equal([null])
  })

  it('may be in the pool', () => {
    const facts = [
      onCurve(600, 100, { trader: leader, sol: 1, tokens: 100n }),
      buildCurveCompleted({ blockAtMs: second(700) }),
      buildCurveMigrated({ blockAtMs: second(705) }),
      inPool(720.9, 100, { trader: leader, sol: -1.5, tokens: -50n }),
    ]
    expect(salesOf(...facts)).to.deep.equal([{ afterSec: 120, share: 0.5, gain: 2 }])
  })

  it('gains what a token brought over what it cost, with all fees', () => {
    const place = { blockAtMs: second(600), trader: leader }
    const fees = { feeRaw: 10_000_000n, creatorFeeRaw: 5_000_000n, rewardsRaw: 1_000_000n }
    const bought = buildCurveTraded({ ...place, ...fees, sol: 1, tokenRaw: 1000n })
    const sold = buildCurveTraded({ ...place, ...fees, sol: -1.2, tokenRaw: -500n })
    const [sale] = salesOf(bought, sold)
    expect(sale?.gain).to.be.closeTo((1.2 - 0.016) / 500 / ((1 + 0.016) / 1000) - 1, 1e-12)
  })
})
