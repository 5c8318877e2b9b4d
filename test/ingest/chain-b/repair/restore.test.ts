import { expect } from 'chai'
import { readRecentFacts, restoreChain } from '../../../../ingest/chain-b/repair/restore.ts'
import { createReserveChain } from '../../../../ingest/chain-b/reserves/reserve-chain.ts'
import type { KnownChainB, MintFact } from '../../../../ingest/chain-b/types.ts'
import { buildCurveLaunched, buildGapFound, buildGapRepaired } from '../../../support/chain-b/build-facts.ts'
import { hashOf, stateOf, tradeOf } from './trade-texts.ts'

const head = { number: 100_000, hash: hashOf('head'), atMs: 0 }

const trade = (told: string, key: string): MintFact => ({ key, fact: tradeOf(told) })
const gapAt = (slot: number, key: string, lastSlot: number): MintFact => ({
  key,
  fact: buildGapFound({ blockNumber: slot, txHash: hashOf(`${slot}`), logIndex: 0, lastSlot }),
})
/**
 * Returns the fact that ends the gap noticed in `gapSlot`. With null, it ends a gap that no later trade
 * showed.
 */
const repaired = (gapSlot: number | null, key: string, slot: number): MintFact => ({
  key,
  fact: buildGapRepaired({
    ...{ blockNumber: slot, txHash: hashOf(`${slot}`), logIndex: 0 },
    gapTxHash: gapSlot === null ? null : hashOf(`${gapSlot}`),
    gapLogIndex: gapSlot === null ? null : 0,
  }),
})

/**
 * Returns the facts that are read after a start from a log with these facts, as texts, and the first slots of
 * the reads.
 */
async function readFrom(facts: readonly MintFact[]) {
  const slots: number[] = []
  const known = {
    factsFrom: async (slot: number, isWanted: (type: string, key: string) => boolean) => {
      slots.push(slot)
      return facts.filter(({ key, fact }) => fact.data.blockNumber >= slot && isWanted(fact.type, key))
    },
  } as unknown as KnownChainB
  const read = await readRecentFacts(known, head)
  return { slots, read: read.map(({ key, fact }) => `${key} ${fact.type} ${fact.data.blockNumber}`) }
}

describe('the facts that are read again after a start', () => {
  it('are the trades of the last quarter of an hour if no gap is open', async () => {
    const facts = [trade('97749a:0>1', 'a'), trade('97750b:1>2', 'a'), trade('100000c:2>3', 'b')]
    expect(await readFrom(facts)).to.deep.equal({
      slots: [82_000, 97_750],
      read: ['a CurveTraded 97750', 'b CurveTraded 100000'],
    })
  })

  it('are all facts of a mint with an open gap, from the last trade before the first gap on', async () => {
    const facts = [
      ...[trade('89999a:0>1', 'gap'), trade('90000b:1>2', 'gap'), trade('90001c:0>1', 'other')],
      ...[gapAt(95_000, 'gap', 90_000), trade('95000d:3>4', 'gap'), gapAt(96_000, 'late', 95_500)],
      ...[trade('99000e:1>2', 'other'), trade('99001f:4>5', 'gap')],
    ]
    expect(await readFrom(facts)).to.deep.equal({
      slots: [82_000, 90_000, 97_750],
      read: [
        ...['gap CurveTraded 90000', 'gap GapFound 95000', 'gap CurveTraded 95000', 'late GapFound 96000'],
        ...['gap CurveTraded 99001', 'other CurveTraded 99000'],
      ],
    })
  })

  it('reach back two hours at most', async () => {
    const facts = [gapAt(81_999, 'old', 81_000), gapAt(82_000, 'gap', 70_000), trade('81000a:0>1', 'gap')]
    expect(await readFrom(facts)).to.deep.equal({ slots: [82_000, 82_000, 97_750], read: ['gap GapFound 82000'] })
  })

  it('are no facts of a gap that is over', async () => {
    const facts = [gapAt(95_000, 'gap', 90_000), repaired(95_000, 'gap', 96_000), repaired(null, 'quiet', 96_001)]
    expect(await readFrom(facts)).to.deep.equal({ slots: [82_000, 97_750], read: [] })
  })

  it('are those of a gap if another one is over', async () => {
    const facts = [gapAt(95_000, 'gap', 94_000), gapAt(95_500, 'gap', 95_000), repaired(95_000, 'gap', 96_000)]
    expect((await readFrom(facts)).slots).to.deep.equal([82_000, 95_000, 97_750])
  })
})

describe('the restored reserves', () => {
  const launched = (key: string): MintFact => ({ key, fact: buildCurveLaunched({ blockNumber: 7 }) })
  const late = (keyed: MintFact): MintFact => ({
    ...keyed,
    fact: { ...keyed.fact, data: { ...keyed.fact.data, lateSlot: 3, lateAtMs: 1 } } as MintFact['fact'],
  })

  it('are those after the last trade or launch of each curve, with its slot', () => {
    const chain = createReserveChain()
    restoreChain([trade('5a:0>10', 'a'), trade('6b:10>20', 'a'), launched('b')], chain)
    expect(chain.lastOf('a')).to.include(stateOf(20))
    expect(chain.gapUpTo('a', stateOf(21))?.lastSlot).to.equal(6)
    expect(chain.gapUpTo('b', stateOf(21))?.lastSlot).to.equal(7)
  })

  it('do not come from late facts, nor from gaps', () => {
    const chain = createReserveChain()
    restoreChain([late(trade('5a:0>10', 'a')), gapAt(6, 'b', 5)], chain)
    expect([chain.lastOf('a'), chain.lastOf('b')]).to.deep.equal([undefined, undefined])
  })

  it('do not replace those of a newer trade', () => {
    const chain = createReserveChain()
    chain.begin('a', stateOf(50), 9)
    restoreChain([trade('5a:0>10', 'a')], chain)
    expect(chain.lastOf('a')).to.include(stateOf(50))
  })
})
