import { expect } from 'chai'
import fc from 'fast-check'
import type { KeyedEvent } from '../../../../ingest/chain-b/decode/decode-transaction.ts'
import { markGaps } from '../../../../ingest/chain-b/reserves/mark-gaps.ts'
import { mergeOrders, orderSlot, type SlotTransaction } from '../../../../ingest/chain-b/reserves/order-slot.ts'
import { createReserveChain, type ReserveChain } from '../../../../ingest/chain-b/reserves/reserve-chain.ts'
import { walkEdges } from '../../../../ingest/chain-b/reserves/walk-edges.ts'
import { launchReserves } from '../../../../schemas/chain-b/curve.ts'
import type { ChainBEvent } from '../../../../schemas/chain-b/facts.ts'
import { decodeWire } from '../../../support/chain-b/decode-wire.ts'
import { recordedTransactions } from '../../../support/chain-b/fixtures.ts'
import { recordedMarket } from '../../../support/chain-b/recorded-market.ts'
import { groupBy } from '../../../support/group-by.ts'

const market = recordedMarket()
const slots = [...groupBy(market, ({ slot }) => slot)].sort(([left], [right]) => left - right)
const keys = new Set(market.flatMap(({ facts }) => facts.map(({ key }) => key)))

function chainFromLaunch(): ReserveChain {
  const chain = createReserveChain()
  for (const key of keys) chain.begin(key, launchReserves, 0)
  return chain
}

/** Orders the transactions of a slot. Returns the facts, with gaps before some of them. */
function follow(transactions: readonly SlotTransaction[], chain: ReserveChain) {
  return markGaps(orderSlot(transactions, chain.lastOf), chain).facts
}

const unnumbered = (facts: readonly KeyedEvent[]): SlotTransaction => ({ index: null, facts })

describe('a slot whose transactions have no index', () => {
  it('is ordered by the reserves: no recorded slot has a gap, however its transactions are shuffled', () => {
    const order = fc.infiniteStream(fc.nat())
    fc.assert(
      fc.property(order, (stream) => {
        const draw = () => Number(stream.next().value)
        const chain = chainFromLaunch()
        for (const [, transactions] of slots) {
          const shuffled = transactions.map((its) => ({ its, by: draw() })).sort((left, right) => left.by - right.by)
          const facts = follow(
            shuffled.map(({ its }) => unnumbered(its.facts)),
            chain,
          )
          expect(facts.filter(({ fact }) => fact.type === 'GapFound')).to.deep.equal([])
          expect(facts).to.have.lengthOf(transactions.flatMap((its) => its.facts).length)
        }
        for (const key of keys) {
          const last = market.flatMap(({ facts }) => facts).findLast((keyed) => keyed.key === key)?.fact
          if (last?.type !== 'CurveTraded') expect.fail('no trade')
          expect(chain.lastOf(key)).to.deep.include({
            quoteRaw: last.data.virtualQuoteRaw,
            tokenRaw: last.data.virtualTokenRaw,
          })
        }
      }),
      { numRuns: 8 },
    )
  })

  it('numbers its transactions, and keeps the events of one together', () => {
    const [, transactions] = slots.find(([, its]) => its.length > 5)!
    const facts = orderSlot(
      [...transactions].reverse().map(({ facts }) => unnumbered(facts)),
      chainFromLaunch().lastOf,
    )
    const numbers = facts.map(({ fact }) => fact.data.txIndex)
    expect(numbers).to.deep.equal([...numbers].sort((left, right) => left - right))
    expect(new Set(numbers)).to.deep.equal(new Set(transactions.keys()))
    for (const [, of] of groupBy(facts, ({ fact }) => fact.data.txHash)) {
      expect(new Set(of.map(({ fact }) => fact.data.txIndex)).size).to.equal(1)
      expect(of.map(({ fact }) => fact.data.logIndex)).to.deep.equal([...of.keys()])
    }
  })

  it('has one gap where a transaction is missing, and the others in order', () => {
    const chain = chainFromLaunch()
    let removed = 0
    for (const [, transactions] of slots) {
      const single = transactions.length > 2 && transactions.every(({ facts }) => facts.length === 1)
      const isPlain = single && new Set(transactions.map(({ facts }) => facts[0]?.key)).size === 1
      if (!isPlain || transactions.some(({ trades }) => !trades[0]?.isBuy)) {
        follow(
          transactions.map(({ facts }) => unnumbered(facts)),
          chain,
        )
        continue
      }
      // For buys only one order is possible, even if one buy is missing.
      const left = transactions.filter((_, index) => index !== 1)
      const facts = follow(
        [...left].reverse().map(({ facts }) => unnumbered(facts)),
        chain,
      )
      const [first, gap, ...rest] = facts.map(({ fact }) => fact)
      expect(gap?.type).to.equal('GapFound')
      expect(gap?.data).to.deep.include({
        missingQuoteRaw: transactions[1]?.trades[0]?.sol,
        missingTokenRaw: transactions[1]?.trades[0]?.tokens,
        txHash: rest[0]?.data.txHash,
        logIndex: rest[0]?.data.logIndex,
      })
      const hashOf = (index: number) => transactions[index]?.facts[0]?.fact.data.txHash
      expect(first?.data.txHash).to.equal(hashOf(0))
      expect(rest.map(({ data }) => data.txHash)).to.deep.equal(left.slice(1).map((_, index) => hashOf(index + 2)))
      removed++
    }
    expect(removed).to.be.at.least(5)
  })
})

const launchSlot = recordedTransactions()['2026-07-29 create_v2, buy (base64, blockSubscribe)']!

describe('the life of a mint within one slot', () => {
  const { facts: launch } = decodeWire(launchSlot)
  const key = launch[0]!.key
  const [created, bought] = launch.map(({ fact }) => fact)
  if (created?.type !== 'CurveLaunched' || bought?.type !== 'CurveTraded') expect.fail('no launch')
  const fact = (type: string, data: object): KeyedEvent => ({
    key,
    fact: { type, data: { ...bought.data, ...data } } as unknown as ChainBEvent,
  })
  const sale = { quoteRaw: -bought.data.quoteRaw, tokenRaw: -bought.data.tokenRaw }
  const { quoteRaw: virtualQuoteRaw, tokenRaw: virtualTokenRaw } = launchReserves
  type Pair = readonly [bigint, bigint]
  const poolTrade = ([poolQuoteRaw, poolTokenRaw]: Pair, [quoteRaw, tokenRaw]: Pair) =>
    fact('PoolTraded', { poolQuoteRaw, poolTokenRaw, quoteRaw, tokenRaw, lpFeeRaw: 1n, isBeforeMigration: false })
  const life = [
    launch,
    [fact('CurveTraded', { ...sale, virtualQuoteRaw, virtualTokenRaw }), fact('CurveCompleted', {})],
    [fact('CurveMigrated', { pool: '0x01' })],
    [poolTrade([1101n, 400n], [100n, 50n])],
    [poolTrade([1002n, 450n], [-100n, -50n])],
    [poolTrade([1053n, 430n], [50n, 20n])],
  ]

  it('is in order: launched, traded on the curve, migrated, traded in the pool', () => {
    const order = fc.shuffledSubarray([...life.keys()], { minLength: life.length })
    fc.assert(
      fc.property(order, (shuffled) => {
        const facts = orderSlot(
          shuffled.map((index) => unnumbered(life[index] ?? [])),
          () => undefined,
        )
        const expected = life.flatMap((its, txIndex) => its.map((keyed) => ({ ...keyed.fact.data, txIndex })))
        expect(facts.map((keyed) => keyed.fact.data)).to.deep.equal(expected)
      }),
    )
  })

  it('has no gap and no stranger from the launch on, and is a stranger’s without it', () => {
    const followed = markGaps(launch, createReserveChain())
    expect(followed).to.deep.equal({ facts: launch, unknownCurves: [] })
    const trades = launch.slice(1)
    expect(markGaps(trades, createReserveChain())).to.deep.equal({ facts: trades, unknownCurves: trades })
  })
})

describe('a slot whose transactions have an index', () => {
  it('is ordered by it alone', () => {
    const [, transactions] = slots.find(([, its]) => its.length > 5)!
    const numbered = transactions.map(({ facts }, index) => ({ index: 100 - 7 * index, facts }))
    const facts = orderSlot(numbered, () => undefined)
    const expected = [...numbered].reverse().flatMap(({ index, facts: its }) => its.map(() => index))
    expect(facts.map(({ fact }) => fact.data.txIndex)).to.deep.equal(expected)
  })

  it('keeps to the indexes that are known where some are not', () => {
    const slot = slots.filter(([, its]) => its.length > 3)
    for (const [, transactions] of slot) {
      const half = transactions.map(({ facts }, index) => ({ index: index % 2 === 0 ? index * 3 : null, facts }))
      const hashes = orderSlot([...half].reverse(), () => undefined).map(({ fact }) => fact.data.txHash)
      const known = half.flatMap(({ index, facts }) => (index === null ? [] : (facts[0]?.fact.data.txHash ?? [])))
      expect([...new Set(hashes)].filter((hash) => known.includes(hash))).to.deep.equal(known)
    }
  })
})

describe('edges between states', () => {
  const edge = (from: string, to: string) => ({ from, to, item: `${from}${to}` })

  it('are walked from end to end if that is possible, whatever their order', () => {
    const walk = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2, maxLength: 30 })
    fc.assert(
      fc.property(walk, fc.infiniteStream(fc.nat()), (states, stream) => {
        const edges = states.slice(1).map((to, index) => edge(states[index]!, to))
        const shuffled = edges.map((its) => ({ its, by: Number(stream.next().value) })).sort((a, b) => a.by - b.by)
        const [walked = [], ...others] = walkEdges(
          shuffled.map(({ its }) => its),
          states[0],
        )
        expect(others).to.deep.equal([])
        expect([...walked].sort()).to.deep.equal(edges.map(({ item }) => item).sort())
        for (const [index, item] of walked.entries())
          expect(item[0]).to.equal(index === 0 ? states[0] : walked[index - 1]?.[1])
      }),
    )
  })

  it('are found to begin where more leave than arrive, if nobody says where', () => {
    expect(walkEdges([edge('b', 'c'), edge('c', 'b'), edge('a', 'b')], undefined)).to.deep.equal([['ab', 'bc', 'cb']])
  })

  it('follow each other in pieces where one is missing', () => {
    expect(walkEdges([edge('c', 'd'), edge('a', 'b')], 'a')).to.deep.equal([['ab'], ['cd']])
    expect(walkEdges([edge('c', 'd'), edge('a', 'b')], 'x')).to.deep.equal([['cd'], ['ab']])
    expect(walkEdges([], 'a')).to.deep.equal([])
  })
})

describe('several orders', () => {
  it('merge into one that keeps to all, the lower number first where they leave it open', () => {
    expect(
      mergeOrders(5, [
        [3, 1],
        [4, 0],
      ]),
    ).to.deep.equal([2, 3, 1, 4, 0])
    expect(mergeOrders(3, [])).to.deep.equal([0, 1, 2])
    expect(mergeOrders(3, [[2, 2, 0]])).to.deep.equal([1, 2, 0])
  })

  it('that contradict each other lose none', () => {
    expect(
      mergeOrders(3, [
        [0, 1],
        [1, 0],
      ]),
    ).to.deep.equal([2, 0, 1])
  })
})
