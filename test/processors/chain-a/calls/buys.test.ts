import { expect } from 'chai'
import fc from 'fast-check'
import { addBuy, type Buy, buysBefore, hasBuys, noBuys, pruneBuys } from '../../../../processors/chain-a/calls/buys.ts'
import type { EpochMs } from '../../../../schemas/units.ts'
import { buildCurveTraded } from '../../../support/builders/build-curves.ts'
import { buildAddress, buildHash, buildSwap, second } from '../../../support/builders/build-facts.ts'

const memoryMs = 60_000

type Drawn = Readonly<{ gapSec: number; isOfCurve: boolean; wei: bigint; name: number }>

/** Returns a buy as a fact, and in the form in which the record about the time before a call reads it. */
function buyOf({ isOfCurve, wei, name }: Drawn, blockAtMs: EpochMs) {
  const fields = { ethWei: wei, txHash: buildHash(name), blockAtMs, blockNumber: 1000 + Math.floor(blockAtMs / 1000) }
  const trader = buildAddress(name)
  const fact = isOfCurve ? buildCurveTraded({ ...fields, trader }) : buildSwap(fields)
  const { blockNumber: block, txHash, ethWei } = fields
  return { fact, blockAtMs, buy: { block, ethWei, txHash, trader: isOfCurve ? trader : null } satisfies Buy }
}

const drawnBuy: fc.Arbitrary<Drawn> = fc.record({
  gapSec: fc.nat(6),
  isOfCurve: fc.boolean(),
  wei: fc.bigInt({ min: 1n, max: 2n ** 127n }),
  name: fc.nat(255),
})

describe('the recent buys of a token', () => {
  it('are those of a plain list within the memory, with exact amounts, hashes and traders', () => {
    let dropped = 0
    fc.assert(
      fc.property(
        fc.array(drawnBuy, { maxLength: 90, size: 'max' }),
        fc.nat(90),
        fc.nat(60),
        (drawn, prunedAfter, untilAgo) => {
          const buys = noBuys()
          const all: ReturnType<typeof buyOf>[] = []
          let atSec = 0
          for (const [index, each] of drawn.entries()) {
            atSec += each.gapSec
            const made = buyOf(each, second(atSec))
            all.push(made)
            addBuy(buys, made.fact, memoryMs)
            if (index === prunedAfter) pruneBuys(buys, second(atSec), memoryMs)
          }
          if (buys.count < all.length) dropped += 1
          const untilMs = second(atSec - untilAgo)
          const precallMs = memoryMs - untilAgo * 1000
          const expected = all.filter(({ blockAtMs }) => blockAtMs > untilMs - precallMs && blockAtMs <= untilMs)
          expect(buysBefore(buys, untilMs, precallMs)).to.deep.equal(expected.map(({ buy }) => buy))
        },
      ),
    )
    expect(dropped, 'no run was long enough to drop old buys').to.be.above(10)
  })

  //  at      0     10     60     70
  //  buys    a      b      c      d        with a memory of 60, only c and d are left at 70
  it('are pruned when they are as old as the memory, and only then', () => {
    const buys = noBuys()
    const names = [0, 10, 60, 70].map((atSec, name) => {
      const { fact, buy } = buyOf({ gapSec: 0, isOfCurve: false, wei: 1n, name }, second(atSec))
      addBuy(buys, fact, memoryMs)
      return buy.txHash
    })
    const namesNow = () => buysBefore(buys, second(70), 10 * memoryMs).map(({ txHash }) => txHash)
    pruneBuys(buys, second(59), memoryMs)
    expect(namesNow()).to.deep.equal(names)
    pruneBuys(buys, second(60), memoryMs)
    expect(namesNow()).to.deep.equal(names.slice(1))
    pruneBuys(buys, second(70), memoryMs)
    expect(namesNow()).to.deep.equal(names.slice(2))
    expect(hasBuys(buys)).to.equal(true)
    pruneBuys(buys, second(130), memoryMs)
    expect(hasBuys(buys)).to.equal(false)
  })

  it('do not grow beyond one and a half times the memory', () => {
    const buys = noBuys()
    for (let atSec = 0; atSec < 5000; atSec++)
      addBuy(buys, buyOf({ gapSec: 1, isOfCurve: true, wei: 5n, name: 7 }, second(atSec)).fact, memoryMs)
    expect(buys.count).to.be.within(60, 82)
    expect(buys.rows.length).to.be.below(90 * 64)
  })
})
