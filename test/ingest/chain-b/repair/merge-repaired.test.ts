import { expect } from 'chai'
import { gapIdOf, type OpenGap } from '../../../../ingest/chain-b/repair/gap.ts'
import type { Repaired } from '../../../../ingest/chain-b/repair/late-facts.ts'
import { mergeRepaired } from '../../../../ingest/chain-b/repair/merge-repaired.ts'
import type { MintFact } from '../../../../ingest/chain-b/types.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import type { Block } from '../../../../schemas/stage.ts'
import { buildGapFound } from '../../../support/chain-b/build-facts.ts'
import { hashOf, nameOf, stateOf, tradeOf } from './trade-texts.ts'

const key = 'a mint'

/** Returns the place of a transaction in the chain. Slot n is n seconds after time 0. */
const placeIn = (slot: number, txIndex: number) => ({ blockHash: hashOf(`s${slot}`), blockAtMs: slot * 1000, txIndex })
const blockOf = (slot: number): Block => ({ number: slot, hash: hashOf(`s${slot}`), atMs: slot * 1000 })

type Told = Readonly<{ told: string; txIndex?: number; key?: string; at?: Partial<ReturnType<typeof placeIn>> }>

function factOf({ told, txIndex = 0, key: mint = key, at = {} }: Told): MintFact {
  const slot = Number.parseInt(told, 10)
  return { key: mint, fact: tradeOf(told, { ...placeIn(slot, txIndex), ...at }) }
}

/** A gap right before the trade. */
const gapBefore = ({ fact: { data } }: MintFact, missing: number, lastSlot: number): MintFact => ({
  key,
  fact: buildGapFound({ ...data, lastSlot, missingQuoteRaw: BigInt(missing), missingTokenRaw: BigInt(missing) }),
})

/** Returns a repair with the `found` trades. The `txIndex` of a trade is the index that the node reports. */
function repairOf(found: readonly Told[], ends: readonly [number, number], fields: Partial<OpenGap> = {}): Repaired {
  const facts = found.map((each) => factOf({ ...each, at: { blockHash: '0x' } }).fact) as Repaired['found'][number]
  const slots = facts.map(({ data }) => data.blockNumber)
  const place = tradeOf('9z:0>0').data
  const [from, to] = [stateOf(ends[0]), stateOf(ends[1])]
  const gap: OpenGap = { ...{ key, place, isFollowed: true, fromSlot: 1, toSlot: 9, from, to }, ...fields }
  const blocks = new Map(slots.map((slot) => [slot, blockOf(slot)]))
  const transactions = facts.map((fact) => [fact])
  return { gap, transactions, found: transactions, blocks, lateCount: facts.length, failure: null }
}

const namesOf = (facts: readonly MintFact[]): string =>
  facts.map(({ fact }) => (fact.type === 'GapFound' ? '!' : '') + nameOf(fact)).join(' ')
const placesOf = (facts: readonly MintFact[]) =>
  facts.map(({ fact: { data } }) => [data.blockNumber, data.txIndex, data.blockHash, data.blockAtMs])

const closed = [blockOf(1), blockOf(9)]

type Case = Readonly<{
  says: string
  /**
   * `isGap` marks a trade directly after a gap in the recorded trades. `merged` shows such a trade with `!`.
   */
  log: readonly (Told & Readonly<{ isGap?: boolean }>)[]
  repairs: readonly Repaired[]
  /** The names of the facts in the log after the repairs were merged into it. */
  merged: string
}>

const cases: readonly Case[] = [
  {
    says: 'a trade in a slot of its own, and the gap is gone',
    log: [{ told: '3a:0>10' }, { told: '7c:30>40', isGap: true }],
    repairs: [repairOf([{ told: '5b:10>30' }], [10, 30])],
    merged: 'a b c',
  },
  {
    says: 'a trade between those of its slot, by the reserves',
    log: [
      { told: '5a:0>10', txIndex: 0 },
      { told: '5c:30>40', txIndex: 1, isGap: true },
      { told: '5d:40>41', txIndex: 2 },
    ],
    repairs: [repairOf([{ told: '5b:10>30', txIndex: 40 }], [10, 30], { fromSlot: 5 })],
    merged: 'a b c d',
  },
  {
    says: 'a trade at its index in a slot in which another one is still missing',
    log: [
      { told: '5b:10>20', txIndex: 3, isGap: true },
      { told: '5d:30>40', txIndex: 5, isGap: true },
    ],
    repairs: [repairOf([{ told: '5a:0>10', txIndex: 2 }], [0, 10], { fromSlot: 5 })],
    merged: 'a b !d d',
  },
  {
    says: 'a trade by the reserves in a slot in which another one is still missing, where the log has ranks',
    log: [
      { told: '5b:10>20', txIndex: 0, isGap: true },
      { told: '5d:30>40', txIndex: 1, isGap: true },
    ],
    repairs: [repairOf([{ told: '5a:0>10', txIndex: 40 }], [0, 10], { fromSlot: 5 })],
    merged: 'a b !d d',
  },
  {
    says: 'trades of several slots, beside those of other mints',
    log: [
      { told: '3a:0>10' },
      { told: '4x:5>6', key: 'another' },
      { told: '6y:6>7', key: 'another' },
      { told: '7d:35>40', isGap: true },
    ],
    repairs: [
      repairOf(
        [
          { told: '4b:10>30', txIndex: 9 },
          { told: '6c:30>35', txIndex: 9 },
        ],
        [10, 35],
      ),
    ],
    merged: 'a x b y c d',
  },
  {
    says: 'the trades of two gaps of one mint',
    log: [{ told: '3a:0>10' }, { told: '5c:20>30', isGap: true }, { told: '7e:40>50', isGap: true }],
    repairs: [repairOf([{ told: '4b:10>20' }], [10, 20]), repairOf([{ told: '6d:30>40' }], [30, 40])],
    merged: 'a b c d e',
  },
  {
    says: 'those of the gap that is repaired, and the other gap stays',
    log: [{ told: '3a:0>10' }, { told: '5c:20>30', isGap: true }, { told: '7e:40>50', isGap: true }],
    repairs: [repairOf([{ told: '4b:10>20' }], [10, 20])],
    merged: 'a b c !e e',
  },
  {
    says: 'the trades behind the last one, which the account shows',
    log: [{ told: '3a:0>10' }],
    repairs: [repairOf([{ told: '4b:10>20' }], [10, 20], { isFollowed: false })],
    merged: 'a b',
  },
  {
    says: 'a trade that the log has already once',
    log: [{ told: '3a:0>10' }, { told: '4b:10>20' }, { told: '5c:20>30' }],
    repairs: [repairOf([{ told: '4b:10>20' }], [10, 20])],
    merged: 'a b c',
  },
]

describe('the facts of a stretch of the log with what was missing', () => {
  for (const { says, log, repairs, merged } of cases)
    it(`have ${says}`, () => {
      const facts = log.flatMap(({ isGap = false, ...told }) => {
        const trade = factOf(told)
        return isGap ? [gapBefore(trade, 10, 3), trade] : [trade]
      })
      expect(namesOf(mergeRepaired({ facts, closed }, repairs).facts)).to.equal(merged)
    })

  it('have the block of their slot, from the log or from the node, at a time between those around it', () => {
    const log = [{ told: '4a:0>10' }, { told: '6c:20>30', at: { blockAtMs: 4500 } }].map(factOf)
    const { facts } = mergeRepaired({ facts: log, closed }, [repairOf([{ told: '5b:10>20', txIndex: 7 }], [10, 20])])
    expect(placesOf(facts)[1]).to.deep.equal([5, 7, hashOf('s5'), 4500])
    const beside = [{ told: '5a:0>10', at: { blockHash: hashOf('own'), blockAtMs: 77 } }].map(factOf)
    const merged = mergeRepaired({ facts: beside, closed: [] }, [
      repairOf([{ told: '5b:10>20' }], [10, 20], { fromSlot: 5 }),
    ])
    expect(placesOf(merged.facts)).to.deep.equal([
      [5, 0, hashOf('own'), 77],
      [5, 1, hashOf('own'), 77],
    ])
  })

  // The node says that slot 5 was at 5000.
  for (const [says, known, atMs] of [
    ['of the node, between those of the slots around it', { 4: 4000, 6: 6000 }, 5000],
    ['of the node, where those of the slots around it are the same', { 4: 5000, 6: 5000 }, 5000],
    ['of the slot before it, if that is later', { 3: 3000, 4: 5400, 6: 6000 }, 5400],
    ['of the slot after it, if that is earlier', { 4: 4000, 6: 4600, 7: 7000 }, 4600],
    ['of the node before the first known slot', { 6: 6000 }, 5000],
    ['of the node after the last known slot', { 4: 4000 }, 5000],
    ['of the node, also where a tick gives the slot an earlier one', { 4: 4000, 5: 4700, 6: 6000 }, 5000],
    ['of the node, also where a tick gives the slot a later one', { 4: 4000, 5: 5300, 6: 6000 }, 5000],
  ] as const)
    it(`have the time ${says}`, () => {
      const blocks = Object.entries(known).map(([slot, its]) => ({ ...blockOf(Number(slot)), atMs: its }))
      const repairs = [repairOf([{ told: '5b:10>20' }], [10, 20])]
      const inTicks = mergeRepaired({ facts: [], closed: blocks }, repairs).facts
      expect(placesOf(inTicks).map((place) => place[3])).to.deep.equal([atMs])
    })

  it('keep the indexes of the node where they fit the reserves, and number the slot by them where they do not', () => {
    const log = [
      { told: '5a:0>10', txIndex: 4 },
      { told: '5c:20>30', txIndex: 9 },
    ].map(factOf)
    const indexesWith = (txIndex: number) =>
      placesOf(
        mergeRepaired({ facts: log, closed }, [repairOf([{ told: '5b:10>20', txIndex }], [10, 20], { fromSlot: 5 })])
          .facts,
      ).map(([, index]) => index)
    expect(indexesWith(6)).to.deep.equal([4, 6, 9])
    expect(indexesWith(2)).to.deep.equal([0, 1, 2])
    expect(indexesWith(9)).to.deep.equal([0, 1, 2])
  })

  it('do not have late what they have in time', () => {
    const [first, late] = [factOf({ told: '3a:0>10' }), factOf({ told: '8b:10>20' })]
    const told = {
      ...late,
      fact: { ...late.fact, data: { ...late.fact.data, lateSlot: 4, lateAtMs: 1 } } as ChainBFact,
    }
    const merged = mergeRepaired({ facts: [first, told], closed }, [repairOf([{ told: '4b:10>20' }], [10, 20])])
    expect(namesOf(merged.facts)).to.equal('a b')
    expect(merged.facts.every(({ fact }) => 'lateSlot' in fact.data && fact.data.lateSlot === null)).to.equal(true)
  })

  it('are told apart from the other facts of the stretch', () => {
    const [first, last] = [factOf({ told: '3a:0>10' }), factOf({ told: '7d:35>40' })]
    const log = [first, gapBefore(last, 25, 3), last]
    const found: readonly Told[] = [{ told: '3a:0>10' }, { told: '4b:10>20' }, { told: '5c:20>30' }]
    const { restored } = mergeRepaired({ facts: log, closed }, [repairOf(found, [10, 30])])
    expect(namesOf(restored)).to.equal('b c')
  })

  it('say of a gap that is filled in part what is missing now', () => {
    const [first, last] = [factOf({ told: '3a:0>10' }), factOf({ told: '7d:35>40' })]
    const log = [first, gapBefore(last, 25, 3), last]
    const { facts, changed, filled } = mergeRepaired({ facts: log, closed }, [
      repairOf([{ told: '4b:10>30' }], [10, 30], { isFollowed: false }),
    ])
    expect(namesOf(facts)).to.equal('a b !d d')
    expect(facts[2]?.fact.data).to.deep.include({ lastSlot: 4, missingQuoteRaw: 5n, missingTokenRaw: 5n })
    expect(changed).to.have.lengthOf(1)
    expect(changed[0]).to.deep.include({ fromSlot: 4, toSlot: 7, from: stateOf(30), to: stateOf(35) })
    expect([...filled]).to.deep.equal([gapIdOf(key, null)])
  })
})
