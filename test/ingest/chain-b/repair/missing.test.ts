import { expect } from 'chai'
import type { OpenGap } from '../../../../ingest/chain-b/repair/gap.ts'
import { missingIn, type Timeliness } from '../../../../ingest/chain-b/repair/missing.ts'
import type { ChainBEvent } from '../../../../schemas/chain-b/facts.ts'
import { buildCurveCompleted, testMint } from '../../../support/chain-b/build-facts.ts'
import { hashOf, nameOf, stateOf, tradeOf } from './trade-texts.ts'

const gapOf = (from: number, to: number): OpenGap => ({
  ...{ key: testMint, isFollowed: true, fromSlot: 5, toSlot: 8, from: stateOf(from), to: stateOf(to) },
  place: { blockNumber: 8, blockAtMs: 0, txIndex: 0, logIndex: 0, blockHash: '0x', txHash: hashOf('z') },
})

type Case = Readonly<{
  says: string
  /**
   * The trades on the node. Trades with capital letters are in the log on time, and trades in `late` are in
   * the log late.
   */
  node: readonly string[]
  gap: readonly [number, number]
  late?: string
  /** The published trades, in order. */
  found: string
  count: number
  isWhole: boolean
}>

const cases: readonly Case[] = [
  { says: 'one trade', node: ['5A:0>10', '6b:10>30', '8C:30>40'], gap: [10, 30], found: 'b', count: 1, isWhole: true },
  {
    says: 'nothing that the log has',
    node: ['5A:0>10', '8C:30>40'],
    gap: [10, 30],
    found: '',
    count: 0,
    isWhole: false,
  },
  {
    says: 'all trades of several slots, in the order of the reserves where the node does not say it',
    node: ['7d:35>20', '6b:10>30', '6c:30>35', '8E:20>1'],
    ...{ gap: [10, 20], found: 'bcd', count: 3, isWhole: true },
  },
  {
    says: 'trades in the slots at both ends, beside those that the log has',
    node: ['5A:0>10', '5b:10>12', '8c:12>20', '8D:20>25'],
    ...{ gap: [10, 20], found: 'bc', count: 2, isWhole: true },
  },
  {
    says: 'trades that take each other back on the way',
    node: ['6b:10>30', '6c:30>10', '7d:10>15'],
    ...{ gap: [10, 15], found: 'bcd', count: 3, isWhole: true },
  },
  {
    says: 'no trade of another gap in a shared slot',
    node: ['5a:3>7', '5B:7>10', '6c:10>20', '8D:20>25', '8e:25>30'],
    ...{ gap: [10, 20], found: 'c', count: 1, isWhole: true },
  },
  {
    says: 'what there is, if more is missing',
    node: ['6b:10>30', '7c:31>40', '8D:40>50'],
    ...{ gap: [10, 40], found: 'bc', count: 2, isWhole: false },
  },
  {
    says: 'only what is not late already, and counts both',
    node: ['6b:10>30', '7c:30>40', '8D:40>50'],
    ...{ gap: [10, 40], late: 'b', found: 'c', count: 2, isWhole: true },
  },
  {
    says: 'nothing of slots outside of it',
    node: ['4b:10>30', '9c:10>30'],
    ...{ gap: [10, 30], found: '', count: 0, isWhole: false },
  },
]

describe('what is missing in a gap', () => {
  for (const { says, node, gap, late = '', found, count, isWhole } of cases)
    it(`is ${says}`, () => {
      const events = node.map((text) => tradeOf(text))
      const timelinessByEvent = new Map<string, Timeliness>()
      for (const event of events) {
        const name = nameOf(event)
        const id = `${event.data.txHash}:0`
        if (name === name.toUpperCase()) timelinessByEvent.set(id, 'on-time')
        if (late.includes(name)) timelinessByEvent.set(id, 'late')
      }
      const missing = missingIn(gapOf(...gap), events, (id) => timelinessByEvent.get(id))
      expect(missing.transactions.map((its) => its.map(nameOf).join('')).join('')).to.equal(found)
      expect(missing).to.deep.include({ tradeCount: count, isWhole })
    })

  it('keeps the events of a transaction together, in their order, and has the completion with them', () => {
    const first = tradeOf('6b:10>20')
    const second = { ...tradeOf('6b:20>30'), data: { ...tradeOf('6b:20>30').data, logIndex: 1 } } as ChainBEvent
    const end = buildCurveCompleted({ blockNumber: 6, txHash: hashOf('b'), logIndex: 2 })
    const { transactions, tradeCount, isWhole } = missingIn(gapOf(10, 30), [end, second, first], () => undefined)
    expect(transactions.map((its) => its.map(({ data }) => data.logIndex))).to.deep.equal([[0, 1, 2]])
    expect([tradeCount, isWhole]).to.deep.equal([2, true])
  })
})
