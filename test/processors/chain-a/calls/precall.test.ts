import { expect } from 'chai'
import { calls } from '../../../../processors/chain-a/calls/processor.ts'
import { curves } from '../../../../processors/chain-a/curves/processor.ts'
import { markets } from '../../../../processors/chain-a/markets/processor.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildCurveLaunched, buildCurveTraded } from '../../../support/builders/build-curves.ts'
import {
  buildAddress,
  buildHash,
  buildLiquidityChanged,
  buildPoolCreated,
  buildSendersAnswered,
  buildSwap,
  second,
  testPool,
  testToken,
} from '../../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../../support/builders/build-mentions.ts'
import { type Event, given } from '../../../support/given-chain-a.ts'

const posted = 3600
const mention = buildMention({ postedAtMs: second(posted) })
const created = buildPoolCreated({ blockAtMs: second(0) })
const buyAt = (atSec: number, fields: Parameters<typeof buildSwap>[0] = {}) =>
  buildSwap({ blockAtMs: second(atSec), ...fields })

type Of<Type extends ChainADerived['type']> = Extract<ChainADerived, { type: Type }>['data']
const allOf = <Type extends ChainADerived['type']>(records: readonly ChainADerived[], type: Type): Of<Type>[] =>
  records.flatMap((record) => (record.type === type ? [record.data as Of<Type>] : []))
const recordsAfter = (past: readonly Event[], post = mention): readonly ChainADerived[] =>
  given([pools, curves, markets, calls], past).when(post).wokenAt(post.data.postedAtMs).records
const precallAfter = (past: readonly Event[], post = mention): Of<'Precall'> | undefined =>
  allOf(recordsAfter(past, post), 'Precall')[0]

describe('the precall of a tracked token', () => {
  it('counts the buys of the ten minutes up to the post, each market’s, and no sell', () => {
    //  s before the post   600   599  ...  300 (sell)   0     -1 (after the post)
    const past = [
      ...[created, buyAt(posted - 600), buyAt(posted - 599, { eth: 0.5 }), buyAt(posted - 300, { eth: -1 })],
      ...[buildPoolCreated({ pool: buildHash(0xb1), blockAtMs: second(posted - 200) })],
      ...[buyAt(posted - 100, { pool: buildHash(0xb1), eth: 0.25 }), buyAt(posted, { eth: 0.125 })],
    ]
    const waiting = given([pools, curves, markets, calls], past).when(mention, buyAt(posted + 1))
    const driven = waiting.wokenAt(second(posted + 2)).records
    expect(allOf(driven, 'Precall')[0]).to.include({
      buys: 3,
      buyWei: 875n * 10n ** 15n,
      isTracked: true,
      chg1h0: null,
    })
  })

  it('counts the transactions of one block, not its swaps', () => {
    const place = (transaction: number) => ({ blockNumber: 4590, txHash: buildHash(transaction) })
    const past = [created, ...[1, 1, 2, 3].map((each) => buyAt(posted - 10, place(each))), buyAt(posted - 5)]
    expect(precallAfter(past)).to.include({ buys: 5, sameBlockMaxTx: 3 })
    expect(precallAfter([created])).to.include({ buys: 0, sameBlockMaxTx: 0 })
  })

  for (const [name, past, run60] of [
    ['an hour before, to the second', [buyAt(0, { px: 1e-9 }), buyAt(1, { px: 2e-9 }), buyAt(99, { px: 6e-9 })], 6],
    ['in force at the post', [buyAt(99, { px: 3e-9 }), buyAt(posted, { px: 4e-9 })], 4],
  ] as const)
    it(`has the run from the price ${name}`, () => {
      expect(precallAfter([created, ...past])?.run60).to.be.closeTo(run60, 1e-9)
    })

  it('has the run of a younger token from its first price', () => {
    const young = buildPoolCreated({ blockAtMs: second(posted - 100) })
    expect(precallAfter([young, buyAt(posted - 50, { px: 5e-9 })])?.run60).to.be.closeTo(5, 1e-9)
  })

  it('has no run if an empty pool is filled again within the second of the post', () => {
    const fill = (atMs: number) => buildLiquidityChanged({ blockAtMs: atMs })
    const empty = buildLiquidityChanged({ liquidityDelta: -(10n ** 21n), blockAtMs: second(20) })
    const post = buildMention({ postedAtMs: second(2 * posted) + 500 })
    const past = [created, fill(second(0)), buyAt(10), empty, fill(second(2 * posted) + 200)]
    expect(precallAfter(past, post)).to.include({ isTracked: true, run60: null })
  })

  for (const [ageSec, px, flags] of [
    [1800, 2.999e-9, []],
    [1800, 3.001e-9, ['run']],
    [1799, 1e-9, ['young']],
    [60, 4e-9, ['run', 'young']],
  ] as const)
    it(`has the flags ${flags.join(', ') || 'none'} at ${ageSec} s of age and ${px / 1e-9} times its price`, () => {
      const opened = buildPoolCreated({ blockAtMs: second(posted - ageSec) })
      const precall = precallAfter([opened, buyAt(posted - 50, { px })])
      expect([precall?.ageAtCallMs, precall?.flags]).to.deep.equal([ageSec * 1000, flags])
    })

  it('is one for a watch, and waits for the post', () => {
    const run = given([pools, markets, calls], [created, buyAt(posted - 5)]).when(mention)
    expect(run.records).to.deep.equal([])
    const first = run.wokenAt(second(posted))
    expect(allOf(first.records, 'Precall')).to.have.lengthOf(1)
    const again = buildMention({ postedAtMs: second(posted + 60), chat: '7', poster: '8' })
    expect(allOf(first.when(again).wokenAt(second(posted + 60)).records, 'Precall')).to.deep.equal([])
  })
})

describe('the buyers before a post', () => {
  const pairOf = (index: number) => ({ txHash: buildHash(index), sender: buildAddress(900 + (index % 50)) })
  const asked = (past: readonly Event[]) => {
    const run = given([pools, curves, markets, calls], past).when(mention).wokenAt(second(posted))
    return { run, question: allOf(run.records, 'PrecallSendersAsked')[0] }
  }
  const buyers = (past: readonly Event[], senders: readonly { txHash: Hex; sender: Hex }[] | null) => {
    const { run, question } = asked(past)
    const { questionId, revision } = question ?? { questionId: '', revision: 0 }
    const answer = buildSendersAnswered({ questionId, revision, senders, failure: senders ? null : 'gone' })
    return allOf(run.when(answer).records, 'PrecallBuyers')
  }
  const buysOf = (...transactions: readonly number[]) =>
    transactions.map((each, index) => buyAt(posted - 400 + index, { txHash: buildHash(each) }))

  it('are asked for by transaction, each once, under a name of the call', () => {
    const { question } = asked([created, ...buysOf(1, 2, 2, 3)])
    expect(question).to.deep.include({ questionId: `precall:${testToken}:${second(posted)}`, atMs: second(posted) })
    expect(question?.txHashes).to.deep.equal([1, 2, 3].map(buildHash))
  })

  it('are at most asked for 500 transactions, the newest', () => {
    const all = Array.from({ length: 501 }, (_, index) => index)
    const place = (each: number) => ({ blockNumber: 5000 + each, txHash: buildHash(each) })
    const { question } = asked([created, ...all.map((each) => buyAt(posted - 5, place(each)))])
    expect(question?.txHashes).to.deep.equal(all.slice(1).map(buildHash))
  })

  it('are the distinct senders in order of their first buy, 40 at most', () => {
    const transactions = Array.from({ length: 60 }, (_, index) => index)
    const [record, ...more] = buyers([created, ...buysOf(...transactions)], transactions.map(pairOf))
    expect(more).to.deep.equal([])
    expect(record).to.include({ wallets: 50, sameBlockWallets: 1 })
    expect(record?.walletList).to.deep.equal(Array.from({ length: 40 }, (_, index) => buildAddress(900 + index)))
  })

  for (const [wallets, flags] of [
    [4, []],
    [5, ['cluster']],
  ] as const)
    it(`are ${flags.length ? 'a' : 'no'} cluster when ${wallets} wallets buy in one block`, () => {
      const transactions = Array.from({ length: wallets }, (_, index) => index)
      const place = (each: number) => ({ blockNumber: 5000, txHash: buildHash(each) })
      const past = [created, ...transactions.map((each) => buyAt(posted - 5, place(each)))]
      const [record] = buyers(past, transactions.map(pairOf))
      expect([record?.sameBlockWallets, record?.flags]).to.deep.equal([wallets, flags])
    })

  it('are null when the lookup failed; flags that need no wallets stay', () => {
    const young = buildPoolCreated({ blockAtMs: second(posted - 100) })
    const nobody = { postedAtMs: second(posted), wallets: null, sameBlockWallets: null, walletList: [] }
    expect(buyers([young, buyAt(posted - 5)], null)).to.deep.equal([{ ...nobody, flags: ['young'] }])
  })

  it('come of the first answer to the question alone', () => {
    const { run, question } = asked([created, ...buysOf(1)])
    const { questionId, revision } = question ?? { questionId: '', revision: 0 }
    const answerOf = (fields: Parameters<typeof buildSendersAnswered>[0]) =>
      buildSendersAnswered({ questionId, revision, senders: [pairOf(1)], ...fields })
    const others = [answerOf({ revision: revision + 1 }), answerOf({ questionId: 'other' })]
    const ignored = run.when(...others, buildPriceAnswer(questionId, 1))
    expect(allOf(ignored.records, 'PrecallBuyers')).to.deep.equal([])
    expect(allOf(ignored.when(answerOf({}), answerOf({})).records, 'PrecallBuyers')).to.have.lengthOf(1)
  })

  it('on a curve are in the log: nobody is asked, unless there were swaps too', () => {
    const trade = (atSec: number, trader: number) =>
      buildCurveTraded({ blockAtMs: second(atSec), trader: buildAddress(trader) })
    const curve = [buildCurveLaunched({ blockAtMs: second(posted - 3000) }), trade(posted - 9, 1), trade(posted - 8, 2)]
    const records = recordsAfter(curve)
    expect(allOf(records, 'PrecallSendersAsked')).to.deep.equal([])
    expect(allOf(records, 'PrecallBuyers')[0]).to.deep.include({
      wallets: 2,
      walletList: [buildAddress(1), buildAddress(2)],
    })
    const pool = [buildPoolCreated({ blockAtMs: second(posted - 5) }), buyAt(posted - 4, { txHash: buildHash(7) })]
    expect(asked([...curve, ...pool]).question?.txHashes).to.deep.equal([buildHash(7)])
    expect(buyers([...curve, ...pool], [pairOf(7)])[0]?.walletList).to.deep.equal(
      [1, 2, 907].map((each) => buildAddress(each)),
    )
  })
})

describe('the precall of a token that is not tracked', () => {
  const run = () => given([pools, markets, calls], []).when(mention).wokenAt(second(posted))
  const nothing = { postedAtMs: second(posted), isTracked: false, market: null, buys: 0, buyWei: 0n, sameBlockMaxTx: 0 }

  it('waits for the price of a provider, and takes its change', () => {
    const waiting = run()
    const [question] = allOf(waiting.records, 'PriceAsked')
    expect(question).to.include({ questionId: `${testToken}:${second(posted)}`, market: null })
    expect(allOf(waiting.records, 'Precall')).to.deep.equal([])
    const answer = buildPriceAnswer(question?.questionId ?? '', 2, { source: 'aggregator' })
    const price = { ...answer.data.price, px: 2, source: 'aggregator', mcapUsd: null, change1h: 2.5 } as const
    const told = waiting.when({ type: 'PriceAnswered', data: { ...answer.data, price } })
    expect(allOf(told.records, 'Precall')).to.deep.equal([
      { ...nothing, run60: 3.5, ageAtCallMs: null, chg1h0: 250, flags: ['run'] },
    ])
  })

  it('takes no change of an answer that came more than 15 s after the post', () => {
    for (const [afterSec, chg1h0] of [
      [15, 250],
      [15.001, null],
    ] as const) {
      const { data } = buildPriceAnswer(`${testToken}:${second(posted)}`, 2, { source: 'aggregator' })
      const price = { px: 2, source: 'aggregator', mcapUsd: null, change1h: 2.5 } as const
      const answer = { ...data, price, answeredAtMs: second(posted + afterSec) }
      const told = run().when({ type: 'PriceAnswered', data: answer })
      expect(allOf(told.records, 'Precall').map((precall) => precall.chg1h0)).to.deep.equal([chg1h0])
    }
  })

  it('says nothing more when the provider failed', () => {
    const questionId = `${testToken}:${second(posted)}`
    const told = run().when(buildPriceAnswer('other', null), buildPriceAnswer(questionId, null))
    expect(allOf(told.records, 'Precall')).to.deep.equal([
      { ...nothing, run60: null, ageAtCallMs: null, chg1h0: null, flags: [] },
    ])
  })

  it('is told at once of a post that is handled more than 15 minutes late', () => {
    const precallAt = (past: readonly Event[], atMs: number) => {
      const late = given([pools, curves, markets, calls], past)
        .wokenAt(atMs - 1)
        .when(mention)
      return allOf(late.wokenAt(mention.data.postedAtMs).records, 'Precall')[0]
    }
    expect(precallAt([], second(posted + 900) + 1)).to.include(nothing)
    expect(precallAt([], second(posted + 900))).to.equal(undefined)
    expect(precallAt([created], second(posted + 900))).to.include({ isTracked: true })
    expect(precallAt([created], second(posted + 900) + 1)).to.include(nothing)
    expect(precallAfter([created, buyAt(posted + 900)])).to.include({ isTracked: true })
    expect(precallAfter([created, buyAt(posted + 901)])).to.include(nothing)
  })

  it('does not count buys that were deleted before a post was handled, though ingest saw the post in time', () => {
    //  s    0     2000   3500   4500   6500   10000   10100   11000        14500   14501
    //      buy    sell   sell    B      P      buy    post    P, handled    B      handled
    // At B, all buys older than 25 minutes are deleted. At P, prices older than 75 minutes are deleted.
    const past = [
      ...[created, buyAt(0), buyAt(2000, { eth: -1, px: 2e-9 }), buyAt(3500, { eth: -1, px: 1e-9 })],
      buyAt(10_000, { px: 2e-9 }),
    ]
    const post = buildMention({ postedAtMs: second(10_100) })
    const handledAt = (atSec: number) => {
      const late = given([pools, curves, markets, calls], past)
        .wokenAt(second(atSec) - 1)
        .when(post)
      return allOf(late.wokenAt(post.data.postedAtMs).records, 'Precall')[0]
    }
    expect(handledAt(11_000)).to.include({ isTracked: true, buys: 1 })
    expect(handledAt(14_501)).to.include({ ...nothing, postedAtMs: second(10_100) })
  })

  it('is that of a token whose pool opened after the post', () => {
    const records = recordsAfter([buildPoolCreated({ pool: testPool, blockAtMs: second(posted + 5) })])
    expect(allOf(records, 'Precall')).to.deep.equal([])
    expect(allOf(records, 'PriceAsked')).to.have.lengthOf(1)
  })
})
