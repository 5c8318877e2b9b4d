/**
 * Tests calls, their outcomes, grades and precalls (what happened before a call). Each data time (cut)
 * combines the chats and both chains.
 */
import { expect } from 'chai'
import { createCallsQueries } from '../../projections/calls/queries/calls.ts'
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import { calledChainA } from '../../projections/chain-a/called-chain.ts'
import { calledChainB } from '../../projections/chain-b/called-chain.ts'
import { selectBotCards } from '../../projections/chats/queries/bot-cards.ts'
import type { Cut } from '../../projections/cuts.ts'
import {
  buildCall,
  buildChat,
  buildGrade,
  buildPrecall,
  buildPrecallBuyers,
  type CallsLog,
  createCallsLog,
  stagesOfCalls,
  withdrawnOnA,
  withdrawnOnB,
} from '../projections/calls/derived-log.ts'
import { mint } from '../projections/chain-b/derived-log.ts'
import { address, noonMs } from '../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs, type Tables } from './projections-tables.ts'

export const callsQueriesOf = (tables: Pick<Tables, 'reader'>): CallsQueries =>
  createCallsQueries({ database: tables.reader, chains: [calledChainA, calledChainB] })

export const callsCutAt = async (tables: Pick<Tables, 'cuts'>, atMs: number): Promise<Cut> =>
  (await tables.cuts.at(atMs, stagesOfCalls)) ?? expect.fail(`there is no cut at ${atMs}`)

export function callAnswers(tables: Tables): void {
  const both = { chain: null } as const
  const written = async (write: (derived: CallsLog) => Promise<void>): Promise<CallsQueries> => {
    const derived = await createCallsLog()
    await write(derived)
    await tables.project(derived)
    return callsQueriesOf(tables)
  }
  const cutAt = (atMs: number) => callsCutAt(tables, atMs)
  const endsAt = (derived: CallsLog, atMs: number) => derived.tick(atMs + 3_600_001)

  it('lists calls of both chains newest first, ties by chain and token, by the clock of the chats', async () => {
    const at = (minutes: number) => ({ calledAtMs: noonMs - minutes * minuteMs })
    const queries = await written(async (derived) => {
      await derived.tick(
        noonMs + 2000,
        {
          a: [
            [address(2), buildCall(at(5))],
            [address(1), buildCall(at(5))],
            [address(3), buildCall({ calledAtMs: noonMs - 30 * minuteMs })],
            [address(4), buildCall({ calledAtMs: noonMs - 30 * minuteMs + 1 })],
            [address(5), buildCall({ calledAtMs: noonMs + 1 })],
          ],
          b: [
            [mint(1), buildCall(at(5))],
            [mint(2), buildCall({ calledAtMs: noonMs })],
          ],
        },
        { chats: { blockAtMs: noonMs } },
      )
      await endsAt(derived, noonMs)
    })
    const cut = await cutAt(noonMs + 2000)
    const tokensOf = async (question: Parameters<CallsQueries['live']>[1]) =>
      (await queries.live(cut, question)).map(({ chain, token }) => [chain, token])
    expect(await tokensOf({ minutes: 30, ...both })).to.deep.equal([
      ['chain-b', mint(2)],
      ['chain-a', address(1)],
      ['chain-a', address(2)],
      ['chain-b', mint(1)],
      ['chain-a', address(4)],
    ])
    expect(await tokensOf({ minutes: 4, chain: 'chain-a' })).to.deep.equal([])
    expect(await tokensOf({ minutes: 6, chain: 'chain-b' })).to.deep.equal([
      ['chain-b', mint(2)],
      ['chain-b', mint(1)],
    ])
  })

  it('has a call of an address without a contract in the list of all live ones, and nowhere else', async () => {
    const calledAtMs = noonMs - 2 * hourMs
    const queries = await written(async (derived) => {
      await derived.tick(noonMs - hourMs, {
        a: [
          [address(1), buildCall({ calledAtMs, hasCode: true })],
          [address(2), buildCall({ calledAtMs, hasCode: false })],
          [address(3), buildCall({ calledAtMs, hasCode: null })],
          // The token is launched later, so the second call has code.
          [address(4), buildCall({ calledAtMs: calledAtMs - 2 * minuteMs, hasCode: false })],
          [address(4), buildCall({ calledAtMs: calledAtMs - minuteMs, hasCode: true })],
        ],
      })
      await derived.tick(noonMs)
      await derived.tick(noonMs + minuteMs)
      await endsAt(derived, noonMs)
    })
    const cut = await cutAt(noonMs + minuteMs)
    const liveOn = async (chain: 'chain-a' | null) =>
      (await queries.live(cut, { minutes: 125, chain })).map(({ token }) => token)
    expect(await liveOn(null)).to.deep.equal([address(1), address(2), address(3), address(4)])
    expect(await liveOn('chain-a')).to.deep.equal([address(1), address(3), address(4)])
    // A call of an address without code is left out before the limit, so it does not use up the limit.
    for (const chain of ['chain-a', null] as const) {
      const outcomes = await queries.outcomes(cut, { hours: 5, limit: 2, chain })
      expect(outcomes?.calls.map(({ token }) => token)).to.deep.equal([address(1), address(3)])
    }
  })

  it('shows the last version of a call that was known at the cut, whole', async () => {
    const first = buildCall({ chats: [buildChat(), buildChat({ chat: '-1009', chatName: null, posters: ['7', '8'] })] })
    const anchor = {
      atMs: noonMs,
      px: 1.5e-21,
      mcapUsd: null,
      mcapCoin: 7.5,
      source: 'pool',
      market: address(9),
      isAsked: false,
    } as const
    const second = buildCall({
      ...{
        isFirst: false,
        recalls: 3,
        anchor,
        stage: 'pool_1_6h',
        triggered: 'main',
        lastSampleAtMs: noonMs + 600_000,
      },
      ...{ lastRet: 0.25, ret1h: 0.5, maxRet: 0.75, maxAtMs: noonMs + 1, dipBeforeMax: -0.125 },
    })
    const queries = await written(async (derived) => {
      await derived.tick(noonMs + 1000, { a: [[address(1), first]] })
      await derived.tick(noonMs + 2000, { a: [[address(1), second]] })
      await derived.tick(noonMs + 3000, { a: [[address(1), withdrawnOnA('Call', noonMs)]] })
      await endsAt(derived, noonMs)
    })
    const at = async (afterMs: number) => queries.live(await cutAt(noonMs + afterMs), { minutes: 30, ...both })
    const { isFirst: _, anchor: __, ...data } = first.data
    const { ret1h, ret4h, ret12h, ret24h, ret48h } = data
    expect(await at(1000)).to.deep.equal([
      {
        ...{ ...data, token: address(1), chain: 'chain-a' },
        ...{ ret1h, ret4h, ret12h, ret24h, ret48h },
        ...{
          anchorAtMs: null,
          anchorPx: null,
          anchorMcapUsd: null,
          anchorMcapCoin: null,
          anchorSource: null,
          anchorIsAsked: null,
          coinUsd: 2000.1,
          gaps: null,
        },
        ...{ knownAtMs: noonMs + 1000, publishedAtMs: noonMs + 1007 },
      },
    ])
    const [later] = await at(2000)
    expect(later).to.deep.include({
      ...{ anchorAtMs: noonMs, anchorPx: 1.5e-21, anchorMcapUsd: null, anchorMcapCoin: 7.5, anchorSource: 'pool' },
      anchorIsAsked: false,
      ...{ stage: 'pool_1_6h', triggered: 'main', recalls: 3, lastRet: 0.25, ret1h: 0.5, ret4h: null },
      ...{ maxRet: 0.75, maxAtMs: noonMs + 1, dipBeforeMax: -0.125, knownAtMs: noonMs + 2000 },
    })
    expect(await at(3000), 'withdrawn').to.deep.equal([])
  })

  it('counts the posts of scanner bots of the last day, over all chats, as they were known', async () => {
    const derived = await createCallsLog()
    const counted = (fromAtMs: number, bots: readonly (readonly [string, number, number])[]) => ({
      type: 'CardCount' as const,
      data: { fromAtMs, toAtMs: fromAtMs, bots: bots.map(([bot, posts, unread]) => ({ bot, posts, unread })) },
    })
    await derived.tick(noonMs, {
      chats: [
        ['-1001', counted(noonMs - dayMs, [['rick', 100, 100]])],
        ['-1001', counted(noonMs - dayMs + 1, [['phanes', 3, 1]])],
        [
          '-1002',
          counted(noonMs - 5000, [
            ['phanes', 4, 0],
            ['rick', 2, 2],
          ]),
        ],
      ],
    })
    await derived.tick(noonMs + 1000, { chats: [['-1001', counted(noonMs + 500, [['soul', 9, 0]])]] })
    await derived.tick(noonMs + 2000)
    await tables.project(derived)
    const at = async (atMs: number) => {
      const { stages } = await callsCutAt(tables, atMs)
      return selectBotCards(tables.reader, stages.chats ?? expect.fail('there are no chats'))
    }
    const ofDay = [
      { bot: 'phanes', posts: 7, unread: 1 },
      { bot: 'rick', posts: 2, unread: 2 },
    ]
    expect(await at(noonMs)).to.deep.equal(ofDay)
    expect(await at(noonMs + 1000)).to.deep.equal([
      { bot: 'soul', posts: 9, unread: 0 },
      { bot: 'phanes', posts: 4, unread: 0 },
      { bot: 'rick', posts: 2, unread: 2 },
    ])
  })

  it('grades a token by the cards of the last 48 hours, on either chain', async () => {
    const queries = await written(async (derived) => {
      await derived.tick(noonMs, {
        a: [
          [address(1), buildGrade({ lastCardAtMs: noonMs - 2 * dayMs + 1, gradedSinceMs: noonMs - 9 * dayMs })],
          [address(2), buildGrade({ lastCardAtMs: noonMs - 2 * dayMs, gradedSinceMs: noonMs - 9 * dayMs })],
          [address(4), buildGrade({ lastCardAtMs: noonMs - 2000, gradedSinceMs: noonMs - 7 * dayMs })],
          [address(4), buildGrade({ lastCardAtMs: noonMs - 1000, gradedSinceMs: noonMs - 9 * dayMs })],
          [address(4), buildGrade({ lastCardAtMs: noonMs - 1000, gradedSinceMs: noonMs - 8 * dayMs })],
          [address(4), buildGrade({ lastCardAtMs: noonMs - 1000, gradedSinceMs: noonMs - 10 * dayMs })],
        ],
        b: [[mint(1), buildGrade({ cards: 1 })]],
      })
      await derived.tick(noonMs + 1000, { b: [[mint(1), buildGrade({ cards: 2, grade: 'F', score: 12 })]] })
      await derived.tick(noonMs + 2000, { b: [[mint(1), withdrawnOnB('ScannerGrade', noonMs)]] })
      await endsAt(derived, noonMs)
    })
    const at = async (afterMs: number, token: string) => {
      const cut = await cutAt(noonMs + afterMs)
      const chats = cut.stages.chats ?? expect.fail('the chats are in the cut')
      const found = await queries.grade(cut, token)
      const mayHold = await queries.tracked.grades.mayHold(token, chats)
      if (found !== null) expect(mayHold).to.equal(true)
      return { found, mayHold }
    }
    const { found } = await at(0, mint(1))
    const { type: _, data } = { ...buildGrade() }
    expect(found).to.deep.equal({
      ...{ ...data, token: mint(1), chain: 'chain-b' },
      ...{ knownAtMs: noonMs, publishedAtMs: noonMs + 7 },
    })
    expect((await at(1000, mint(1))).found).to.include({ cards: 2, grade: 'F', score: 12 })
    expect((await at(2000, mint(1))).found, 'withdrawn').to.equal(null)
    expect((await at(0, address(1))).found).to.include({ chain: 'chain-a', gradedSinceMs: noonMs - 9 * dayMs })
    const newest = { lastCardAtMs: noonMs - 1000, gradedSinceMs: noonMs - 8 * dayMs }
    expect((await at(0, address(4))).found, 'the newest card, then the newest grade').to.include(newest)
    expect(await at(0, address(2)), 'too old').to.deep.equal({ found: null, mayHold: false })
    expect(await at(1000, address(1)), 'a second later').to.deep.equal({ found: null, mayHold: false })
    expect(await at(0, address(3))).to.deep.equal({ found: null, mayHold: false })
    // Base58 is case-sensitive.
    expect(await at(0, mint(1).toLowerCase())).to.deep.equal({ found: null, mayHold: false })
  })

  it('tells what came before the newest call of the last 48 hours, and its wallets once they are known', async () => {
    const queries = await written(async (derived) => {
      await derived.tick(noonMs + 1000, {
        a: [
          [address(1), buildPrecall({ postedAtMs: noonMs - 2 * dayMs + 5000 })],
          [address(1), buildPrecall()],
          [address(2), buildPrecall({ postedAtMs: noonMs - 2 * dayMs + 1000 })],
        ],
      })
      await derived.tick(noonMs + 4999, { a: [[address(1), buildPrecallBuyers()]] })
      await derived.tick(noonMs + 5000)
      await derived.tick(noonMs + 6000, {
        a: [
          [address(1), buildPrecallBuyers({ wallets: null, sameBlockWallets: null, walletList: [], flags: ['run'] })],
        ],
      })
      await derived.tick(noonMs + 7000, { a: [[address(1), withdrawnOnA('Precall', noonMs)]] })
      await derived.tick(noonMs + 3 * dayMs)
      await endsAt(derived, noonMs + 3 * dayMs)
    })
    const at = async (afterMs: number, token = address(1)) => {
      const cut = await cutAt(noonMs + afterMs)
      const chats = cut.stages.chats ?? expect.fail('the chats are in the cut')
      const [found, mayHold] = [await queries.precall(cut, token), await queries.tracked.precalls.mayHold(token, chats)]
      if (found !== null) expect(mayHold).to.equal(true)
      return found
    }
    expect(await at(1000)).to.deep.equal({
      ...{
        chain: 'chain-a',
        token: address(1),
        postedAtMs: noonMs,
        isTracked: true,
        buys: 6,
        buyWei: '1500000000000000000',
        buyEth: 1.5,
      },
      ...{ sameBlockMaxTx: 5, run60: 3.5, ageAtCallMs: 1_500_000, chg1h0: null, flags: ['run', 'young'] },
      ...{ buyers: null, gaps: null, knownAtMs: noonMs + 1000, publishedAtMs: noonMs + 1007 },
      filled: { seconds: null, outcome: null },
    })
    expect((await at(4999))?.buyers, 'within 5 s of the post').to.equal(null)
    expect((await at(5000))?.buyers).to.deep.equal({
      ...{ wallets: 5, sameBlockWallets: 5, walletList: [address(1), address(2)], flags: ['run', 'young', 'cluster'] },
    })
    expect((await at(6000))?.buyers).to.deep.include({ wallets: null, walletList: [], flags: ['run'] })
    expect(await at(7000), 'the older call is too old by now').to.equal(null)
    expect(await at(1000, address(2)), '48 hours ago').to.equal(null)
    expect(await at(3 * dayMs)).to.equal(null)
    expect(await at(1000, address(3))).to.equal(null)
  })
}
