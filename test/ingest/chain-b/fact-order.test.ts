import { expect } from 'chai'
import { factIdOf, lateFact, orderInBlock } from '../../../ingest/chain-b/fact-order.ts'
import type { ChainBEvent, ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { recordedMarket } from '../../support/chain-b/recorded-market.ts'

const [first, second] = recordedMarket().map(({ facts }) => facts[0]?.fact as ChainBEvent)
const slot = { number: 400_000_000, hash: '0xff', atMs: 1_800_000_000_000 } as const
const { blockNumber, blockAtMs, blockHash, txHash, txIndex, logIndex } = second!.data
const place = { blockNumber, blockAtMs, blockHash, txHash, txIndex, logIndex }
const gap: ChainBFact = { type: 'GapFound', data: { lastSlot: 1, missingQuoteRaw: 1n, missingTokenRaw: 1n, ...place } }
const found: ChainBFact = {
  type: 'CurveFound',
  data: {
    ...{ curve: '0x01', creator: null, launchSlot: null, launchAtMs: null, supplyRaw: null, virtualQuoteRaw: 1n },
    ...{ virtualTokenRaw: 1n, realQuoteRaw: 0n, realTokenRaw: 0n, quoteMint: null, isMayhem: false },
    ...place,
  },
}

describe('a fact', () => {
  it('is named by its transaction and ordinal, also when it is late', () => {
    expect(factIdOf(first!)).to.equal(`${first!.data.txHash}:0`)
    expect(factIdOf(lateFact(first!, slot, 3))).to.equal(factIdOf(first!))
    expect(new Set([second!, gap, found].map(factIdOf)).size).to.equal(3)
  })

  it('that is late stands in the slot that it is published with, and says when it happened', () => {
    const late = lateFact(first!, slot, 3)
    expect(late.data).to.deep.include({
      blockNumber: slot.number,
      blockHash: slot.hash,
      blockAtMs: slot.atMs,
      txIndex: 3,
      lateSlot: first!.data.blockNumber,
      lateAtMs: first!.data.blockAtMs,
      txHash: first!.data.txHash,
    })
  })

  it('stands behind the curve and the gap that were found before it, and behind all late facts', () => {
    const repaired: ChainBFact = {
      type: 'GapRepaired',
      data: { gapTxHash: txHash, gapLogIndex: 0, lateCount: 2, isWhole: true, failure: null, ...place, txIndex: 4 },
    }
    const inOrder = [lateFact(second!, slot, 3), lateFact(first!, slot, 4), repaired, found, gap, second!]
    const orders = inOrder.map(orderInBlock)
    expect(orders).to.deep.equal([...orders].sort((left, right) => left - right))
    expect(new Set(orders).size).to.equal(orders.length)
  })
})
