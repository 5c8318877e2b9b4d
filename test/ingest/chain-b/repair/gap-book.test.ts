/** What is known of the slots of a gap: only what the log does not have is published late. */
import { expect } from 'chai'
import { factIdOf } from '../../../../ingest/chain-b/fact-order.ts'
import { createGapBook } from '../../../../ingest/chain-b/repair/gap-book.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { buildHash } from '../../../support/build-facts.ts'
import { buildCurveTraded, buildGapFound } from '../../../support/chain-b/build-facts.ts'

const key = 'a mint'
const keyed = (...facts: readonly ChainBFact[]) => facts.map((fact) => ({ key, fact }))

/** Each transaction holds one event. */
const placeIn = (slot: number, tx: number) => ({ blockNumber: slot, txHash: buildHash(tx), logIndex: 0 })
const tradeIn = (slot: number, tx: number) => buildCurveTraded(placeIn(slot, tx))
/** An event of that slot, published in another. */
const lateIn = (slot: number, tx: number, publishedIn: number) =>
  buildCurveTraded({ ...placeIn(publishedIn, tx), lateSlot: slot, lateAtMs: 1 })

/** The gap between slots 8 and 10, and the trade that shows it. */
const trade = tradeIn(10, 0xf)
const found = buildGapFound({ ...placeIn(10, 0xf), lastSlot: 8 })
const repaired: ChainBFact = {
  type: 'GapRepaired',
  data: { ...trade.data, gapTxHash: found.data.txHash, gapLogIndex: 0, lateCount: 0, isWhole: true, failure: null },
}

function bookAfter(...facts: readonly ChainBFact[]) {
  const book = createGapBook()
  book.note(keyed(...facts))
  const standingsOf = (...its: readonly ChainBFact[]) =>
    its.map((fact) => [...book.open.values()].map((gap) => book.standingOf(gap, factIdOf(fact)) ?? '-').join())
  return { book, standingsOf }
}

describe('the book of gaps', () => {
  it('tells of the slots of a gap what stands in the log on time and what late, and of no other slot', () => {
    const [before, last, behind] = [tradeIn(7, 1), tradeIn(8, 2), tradeIn(11, 3)]
    const [late, laterLate] = [lateIn(9, 4, 20), lateIn(12, 5, 21)]
    const { standingsOf } = bookAfter(before, last, found, trade, behind, late, laterLate)
    expect(standingsOf(last, trade, late)).to.deep.equal(['on-time', 'on-time', 'late'])
    expect(standingsOf(before, behind, laterLate, tradeIn(9, 6))).to.deep.equal(['-', '-', '-', '-'])
  })

  it('takes no late fact for the last trade of the mint, nor one of an older slot into the next gap', () => {
    const late = lateIn(9, 4, 20)
    const [again, next] = [buildGapFound({ ...placeIn(30, 7), lastSlot: 10 }), tradeIn(30, 7)]
    const { book, standingsOf } = bookAfter(found, trade, repaired, late)
    expect(book.lastOf(key)?.blockNumber).to.equal(10)
    book.note(keyed(again, next))
    expect(standingsOf(trade, late)).to.deep.equal(['on-time', '-'])
  })

  it('opens a gap with the very trade that shows it, and closes it with its repair', () => {
    const { book } = bookAfter(found)
    book.note(keyed(tradeIn(10, 0xe)))
    expect(book.open.size).to.equal(0)
    book.note(keyed(trade))
    expect(book.open.size).to.equal(1)
    book.note(keyed(repaired))
    expect(book.open.size).to.equal(0)
  })

  it('may read the repair of a gap that it never saw', () => {
    expect(bookAfter(repaired, trade).book.open.size).to.equal(0)
  })
})
