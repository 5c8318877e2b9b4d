/** Tests a gap in the recorded slots. Only those events are published late that the log does not have yet. */
import { expect } from 'chai'
import { factIdOf } from '../../../../ingest/chain-b/fact-order.ts'
import { placeOf } from '../../../../ingest/chain-b/repair/gap.ts'
import { createGapTracker } from '../../../../ingest/chain-b/repair/gap-tracker.ts'
import { beforeTrade } from '../../../../schemas/chain-b/curve.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { buildHash } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveTraded,
  buildGapFound,
} from '../../../support/chain-b/build-facts.ts'

const key = 'a mint'
const keyed = (...facts: readonly ChainBFact[]) => facts.map((fact) => ({ key, fact }))

/** Returns the place of an event. Each transaction has one event. */
const placeIn = (slot: number, tx: number) => ({ blockNumber: slot, txHash: buildHash(tx), logIndex: 3 })
const tradeIn = (slot: number, tx: number) => buildCurveTraded(placeIn(slot, tx))
/** Returns an event of `slot` that is published in the slot `publishedIn`. */
const lateIn = (slot: number, tx: number, publishedIn: number) =>
  buildCurveTraded({ ...placeIn(publishedIn, tx), lateSlot: slot, lateAtMs: 1 })

/** A gap between slots 8 and 10 is noticed at this trade. */
const trade = tradeIn(10, 0xf)
const found = buildGapFound({ ...placeIn(10, 0xf), lastSlot: 8 })
const repaired: ChainBFact = {
  type: 'GapRepaired',
  data: { ...trade.data, gapTxHash: found.data.txHash, gapLogIndex: 3, lateCount: 0, isWhole: true, failure: null },
}

function bookAfter(...facts: readonly ChainBFact[]) {
  const book = createGapTracker()
  book.note(keyed(...facts))
  const standingsOf = (...its: readonly ChainBFact[]) =>
    its.map((fact) => [...book.open.values()].map((gap) => book.timelinessOf(gap, factIdOf(fact)) ?? '-').join())
  return { book, standingsOf }
}

describe('the tracker of gaps', () => {
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
    book.note(keyed(tradeIn(10, 0xe), buildCurveTraded({ ...placeIn(10, 0xf), logIndex: 4 })))
    expect(book.open.size).to.equal(0)
    book.note(keyed(trade))
    expect(book.open.size).to.equal(1)
    book.note(keyed(repaired))
    expect(book.open.size).to.equal(0)
  })

  it('says where the curve stood before and behind what is missing', () => {
    const { book } = bookAfter(found, trade)
    const to = beforeTrade(trade.data)
    const from = { quoteRaw: to.quoteRaw - 1n, tokenRaw: to.tokenRaw + 1n }
    expect([...book.open.values()]).to.deep.equal([
      { key, place: placeOf(found.data), isFollowed: true, fromSlot: 8, toSlot: 10, from, to },
    ])
  })

  it('keeps all facts of the slot of the last trade, and follows a gap while another of its mint is repaired', () => {
    const [one, other, late] = [tradeIn(8, 2), tradeIn(8, 8), lateIn(29, 9, 40)]
    const { book, standingsOf } = bookAfter(one, other, found, trade)
    expect(standingsOf(one, other)).to.deep.equal(['on-time', 'on-time'])
    book.note(keyed(buildGapFound({ ...placeIn(30, 7), lastSlot: 10 }), tradeIn(30, 7), repaired, late))
    expect(standingsOf(late)).to.deep.equal(['late'])
  })

  it('knows a gap behind the last trade by its account, once, until its repair says so', () => {
    const { book, standingsOf } = bookAfter(trade)
    const reserves = { quoteRaw: 1n, tokenRaw: 1n }
    const place = placeOf(trade.data)
    const gap = { key, place, isFollowed: false, fromSlot: 10, toSlot: 15, from: reserves, to: reserves }
    book.openLast(gap)
    const late = lateIn(12, 4, 20)
    book.note(keyed(late))
    book.openLast({ ...gap, toSlot: 99 })
    expect(standingsOf(late)).to.deep.equal(['late'])
    expect([...book.open.values()]).to.deep.equal([gap])
    book.note(keyed(repaired))
    expect(book.open.size, 'another gap was repaired').to.equal(1)
    book.note(keyed({ ...repaired, data: { ...repaired.data, gapTxHash: null, gapLogIndex: null } }))
    expect(book.open.size).to.equal(0)
    expect(book.timelinessOf(gap, factIdOf(late))).to.equal(undefined)
    for (const mint of ['one', 'another']) book.openLast({ ...gap, key: mint })
    expect(book.open.size, 'each mint has its own').to.equal(2)
  })

  it('knows the last trade or the launch of a mint until its life is over', () => {
    const launched = buildCurveLaunched({ blockNumber: 5, blockAtMs: 1000 })
    const { book } = bookAfter(launched, buildCurveCompleted({ blockNumber: 6, blockAtMs: 2000 }))
    expect(book.lastOf(key)).to.deep.equal(placeOf(launched.data))
    expect(book.lastOf('another mint')).to.equal(undefined)
    book.forget(2000)
    expect(book.lastOf(key)?.blockNumber).to.equal(5)
    book.forget(48 * 3_600_000)
    expect(book.lastOf(key)).to.equal(undefined)
  })

  it('closes gaps that are filled, and has what was restored on time', () => {
    const restored = [{ key, fact: tradeIn(9, 4) }]
    const { book, standingsOf } = bookAfter(tradeIn(8, 2), found, trade)
    const [gap] = [...book.open.values()]
    const other = { ...gap!, place: { ...gap!.place, logIndex: 99 } }
    book.restore({ restored, filled: new Set(), changed: [{ ...gap!, fromSlot: 9 }, other] })
    expect(
      [...book.open.values()].map(({ fromSlot }) => fromSlot),
      'only gaps that are open change',
    ).to.deep.equal([9])
    expect(standingsOf(tradeIn(9, 4))).to.deep.equal(['on-time'])
    expect(book.lastOf(key)?.blockNumber, 'it stands before the last trade').to.equal(10)
    book.restore({ restored: [], filled: new Set(book.open.keys()), changed: [] })
    expect(book.open.size).to.equal(0)
  })

  it('may read the repair of a gap that it never saw', () => {
    expect(bookAfter(repaired, trade).book.open.size).to.equal(0)
  })
})
