import { expect } from 'chai'
import fc from 'fast-check'
import type { Buy } from '../../../processors/chain-a/calls/buys.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { buildCurveTraded } from '../builders/build-curves.ts'
import { buildAddress, buildHash, buildSwap, second } from '../builders/build-facts.ts'

type Drawn = Readonly<{ gapSec: number; isOfCurve: boolean; wei: bigint; name: number }>

export const memoryMs = 60_000

/** Returns a buy as a fact, and in the form in which the record about the time before a call reads it. */
export function buyOf({ isOfCurve, wei, name }: Drawn, blockAtMs: EpochMs) {
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

type BuysModule = typeof import('../../../processors/chain-a/calls/buys.ts')

/** Compares the stored buys with a plain list of all buys. Returns how many runs deleted buys. */
export function comparePlainBuys({ addBuy, buysBefore, noBuys, pruneBuys }: BuysModule): number {
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
  return dropped
}
