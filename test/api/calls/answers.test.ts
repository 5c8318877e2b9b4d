import { expect } from 'chai'
import fc from 'fast-check'
import { askedPricesText, everySample } from '../../../api/calls/resources/asked-prices.ts'
import { streamedCalls } from '../../../api/calls/resources/streamed-call.ts'
import { headlineOf } from '../../../api/chain-a/headline.ts'
import { chainASource } from '../../../api/chain-a/source.ts'
import { createStreamPart } from '../../../api/chain-a/stream-part.ts'
import { chainBSource } from '../../../api/chain-b/source.ts'
import { callerIdOf, chatIdOf } from '../../../infra/public-ids.ts'
import type { CallRow } from '../../../projections/calls/queries/calls-queries.ts'
import { calledChainA } from '../../../projections/chain-a/called-chain.ts'
import { calledChainB } from '../../../projections/chain-b/called-chain.ts'
import { callStages } from '../../../schemas/calls/derived.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { buildCall, buildChat } from '../../projections/calls/derived-log.ts'
import { address, noonMs } from '../../projections/derived-log.ts'
import {
  callerIdSecret,
  chatsCut,
  fixedBoard,
  fixedCall,
  fixedCaller,
  fixedGradedMint,
  fixedPrecall,
  fixedToken,
} from '../../support/calls/fixed-queries.ts'
import { callsEdgeOfTests, pathOfEachRoute } from './edge.ts'

type Answer = Readonly<Record<string, unknown>> &
  Readonly<{ generatedAt: number; calls: readonly object[]; rows: readonly object[] }>

const hashed = (poster: string, chat = '-1001') => callerIdOf(chat, poster, callerIdSecret)

describe('the answers about calls', () => {
  const { edge, rows, sell } = callsEdgeOfTests()

  it('tell of a live call', async () => {
    const answer = await sell<Answer>('/v1/sol/calls/live')
    expect(answer).to.include({ chain: 'all', schemaVersion: 1, minutes: 30 })
    expect(answer.ageSec, 'of the stage that is the furthest behind').to.be.at.least(2)
    expect(answer.calls).to.have.length(1)
    expect(answer.calls[0]).to.deep.include({
      ...{ chain: 'chainA', mint: fixedToken, calledAt: fixedCall.calledAtMs, firstSeenAt: fixedCall.calledAtMs + 900 },
      ...{
        minAgo: (answer.generatedAt - fixedCall.calledAtMs) / 60_000,
        nChats: 2,
        nPublicChats: 1,
        nPrivateChats: 1,
        nPosts: 5,
        nPrivatePosts: 3,
        late: false,
      },
      chats: [
        {
          ...{ chat: '@public_calls', chatId: chatIdOf('-1001', callerIdSecret), firstAt: fixedCall.calledAtMs },
          ...{ posts: 2, callers: [hashed('-1001'), hashed('77')] },
        },
      ],
      // 12.5 ETH at 3000 USD.
      atCall: { t: fixedCall.calledAtMs, px: 1e-27, mcapUsd: 37_500, pxSrc: 'pool' },
      ...{ moveSince: 0.25, maxSince: 0.25, stage: 'pool-<1h', triggered: 'main', rugged: false },
    })
    expect(answer.calls[0])
      .to.have.property('callId')
      .that.matches(/^[0-9a-f]{16}$/)
  })

  it('say of a call and of what came before it which trades are missing', async () => {
    const gaps = { trades: null, volume: 0.5, knownAtMs: noonMs }
    const shown = { trades: null, volume: 0.5, knownAt: noonMs }
    const paths = ['/v1/sol/calls/live', '/v1/sol/calls/outcomes']
    for (const path of paths) expect((await sell<Answer>(path)).calls[0], path).to.have.property('gaps', null)
    const precallPath = `/v1/rh/token/${fixedToken}/precall`
    expect(await sell<Answer>(precallPath)).to.have.property('gaps', null)
    rows.calls = [{ ...fixedCall, gaps }]
    rows.precalls = [{ ...fixedPrecall, gaps }]
    for (const path of paths)
      expect((await sell<Answer>(path)).calls[0], path)
        .to.have.property('gaps')
        .that.deep.equals(shown)
    expect(await sell<Answer>(precallPath)).to.deep.include({ gaps: shown })
  })

  it('write every stage as the specification does, and no price that is not known', async () => {
    const stages = {
      ...{ curve_0_25: 'curve-0-25', curve_25_55: 'curve-25-55', curve_55_100: 'curve-55-100' },
      ...{ pool_under_1h: 'pool-<1h', pool_1_6h: 'pool-1-6h', pool_6_24h: 'pool-6-24h', pool_over_24h: 'pool->24h' },
    }
    rows.calls = [
      ...callStages.map((stage) => ({ ...fixedCall, stage })),
      { ...fixedCall, stage: null, anchorAtMs: null, anchorPx: null, anchorSource: null },
      { ...fixedCall, stage: null, coinUsd: null },
      { ...fixedCall, stage: null, anchorMcapUsd: 99.5, anchorSource: 'aggregator' },
    ]
    const { calls } = await sell<{ calls: readonly { stage: string; atCall: { mcapUsd: number | null } | null }[] }>(
      '/v1/sol/calls/live',
    )
    expect(calls.map(({ stage }) => stage)).to.deep.equal([
      ...callStages.map((stage) => stages[stage]),
      null,
      null,
      null,
    ])
    expect(calls.slice(-3).map(({ atCall }) => atCall?.mcapUsd)).to.deep.equal([undefined, null, 99.5])
  })

  for (const [anchorSource, anchorIsAsked, pxSrc] of [
    ['curve', false, 'curve'],
    ['pool', false, 'pool'],
    ['curve', true, 'curve-asked-10m'],
    ['pool', true, 'pool-asked-10m'],
    ['aggregator', true, 'aggregator-asked-10m'],
    // In rows of an old schema, `anchorIsAsked` is null.
    ['pool', null, 'pool'],
    ['aggregator', null, 'aggregator-asked-10m'],
  ] as const)
    it(`say of a price of ${anchorSource}, asked for: ${anchorIsAsked}, that it is of ${pxSrc}`, async () => {
      rows.calls = [{ ...fixedCall, anchorSource, anchorIsAsked }]
      const { calls } = await sell<Answer>('/v1/sol/calls/live')
      expect(calls[0]).to.have.nested.property('atCall.pxSrc', pxSrc)
    })

  it('say that the market of a call was pulled, and when', async () => {
    const ruggedAtMs = fixedCall.calledAtMs + 5_400_000
    rows.calls = [{ ...fixedCall, ruggedAtMs, lastRet: -1 }]
    expect((await sell<Answer>('/v1/sol/calls/live')).calls[0]).to.include({ rugged: true, moveSince: -1 })
    expect((await sell<Answer>('/v1/sol/calls/outcomes')).calls[0]).to.include({ rugged: true, ruggedAtH: 1.5 })
    rows.calls = [fixedCall]
    expect((await sell<Answer>('/v1/sol/calls/outcomes')).calls[0]).to.include({ rugged: false, ruggedAtH: null })
  })

  it('name no chain of an address without a contract, and show it live among all alone', async () => {
    const unpriced = { anchorAtMs: null, anchorPx: null, anchorSource: null, anchorIsAsked: null, stage: null }
    rows.calls = [
      { ...fixedCall, ...unpriced, hasCode: false },
      { ...fixedCall, hasCode: true },
    ]
    const { calls } = await sell<Answer>('/v1/sol/calls/live')
    expect(calls.map((call) => 'chain' in call)).to.deep.equal([false, true])
    expect(calls[0]).to.include({ mint: fixedToken, nChats: 2, atCall: null })
    for (const path of ['/v1/sol/calls/live?chain=chainA', '/v1/sol/calls/outcomes'])
      expect((await sell<Answer>(path)).calls, path).to.have.length(1)
  })

  it('say in their method for which chains nobody is asked for prices', () => {
    const chain = { ...calledChainA, wireName: 'chainA', idLetter: 'a', source: chainASource }
    const other = { ...calledChainB, wireName: 'chainB', idLetter: 'b', source: chainBSource }
    const textOf = (a: boolean, b: boolean) =>
      askedPricesText(
        [
          { ...chain, hasPriceProvider: a },
          { ...other, hasPriceProvider: b },
        ],
        everySample,
      )
    expect(textOf(true, true)).to.not.contain('No external provider')
    expect(textOf(false, true)).to.contain('No external provider is configured for chainA:')
    expect(textOf(false, false)).to.contain('No external provider is configured for chainA and chainB:')
  })

  it('tell what became of a call', async () => {
    const at = rows.rebuiltAtMs ?? expect.fail('it is rebuilt')
    const calledAtMs = at - 6 * 3_600_000
    rows.calls = [
      {
        ...{ ...fixedCall, calledAtMs, ret1h: 0.5, ret4h: -1, isDead: true, maxRet: 0.75 },
        ...{ maxAtMs: calledAtMs + 5_400_000, dipBeforeMax: -0.125 },
      },
    ]
    const answer = await sell<Answer>('/v1/sol/calls/outcomes')
    expect(answer).to.include({ chain: 'all', rebuiltAt: at, hours: 48 })
    expect(answer.ageSec).to.equal(1800)
    expect(answer.calls[0]).to.deep.include({
      ...{
        mint: fixedToken,
        calledAt: calledAtMs,
        ageH: (answer.generatedAt - calledAtMs) / 3_600_000,
        done: false,
        dead: true,
        recalls: 4,
      },
      ...{ ret1h: 0.5, ret4h: -1, ret12h: null, ret24h: null, ret48h: null, maxRet: 0.75, maxAtH: 1.5 },
      ...{ dipBeforeMax: -0.125, nChats: 2, nPrivateChats: 1, chats: ['@public_calls'] },
      callers: [hashed('-1001'), hashed('77'), hashed('88', '-1009')],
      chatIds: [chatIdOf('-1001', callerIdSecret), chatIdOf('-1009', callerIdSecret)],
    })
  })

  it('rank callers, with what is raw, what is shrunk and how', async () => {
    const answer = await sell<Answer>('/v1/sol/callers/leaderboard')
    expect(answer).to.deep.include({
      ...{ chain: 'all', window: '7d', sort: 'win35', calls: 25, gapCalls: 3, callers: 2, pooled: fixedBoard.pooled },
    })
    expect(answer.method).to.deep.include({ minN: 1, lateAnchorsExcluded: 2, noPriceExcluded: 1 })
    expect(answer.method).to.deep.include({ unansweredExcluded: 3, tooManyExcluded: 4, askedCount: 5 })
    expect(answer.method).to.have.nested.property('shrink.kByMetric.rug', 16)
    expect(answer.rows.map((row) => (row as { chat: string | null }).chat)).to.deep.equal(['@public_calls', null])
    expect(answer.rows[0]).to.deep.include({
      ...{
        rank: 1,
        callerId: hashed('77'),
        chatId: chatIdOf('-1001', callerIdSecret),
        n: 16,
        weight: 14.5,
        gapCalls: 2,
        win35: 0.2,
      },
      ...{ raw: fixedCaller.raw, lastCallAt: fixedCaller.lastCallAtMs },
      median: { ret1: 0.03125, ret5: 0.0625, ret15: 0.0625, ret60: -0.125, mfe: 0.25, mae: -0.25 },
    })
  })

  for (const [sort, k, kOf] of [
    ['win35', 12, 'win35'],
    ['x2', 14, 'x2'],
    ['rug', 16, 'rug'],
    ['ret15', 20, 'ret15'],
    ['n', 12, 'win35'],
  ] as const)
    it(`say by which number values were shrunk when callers are sorted by ${sort}`, async () => {
      const { method } = await sell<Answer>(`/v1/sol/callers/leaderboard?sort=${sort}`)
      expect(method).to.have.property('shrink').that.includes({ k, kOf })
    })

  it('grade a token, with how the grade is made', async () => {
    const answer = await sell<Answer>(`/v1/scanner/${fixedGradedMint}`)
    expect(answer).to.deep.include({
      ...{ chain: 'chainB', mint: fixedGradedMint, grade: 'B', score: 84, cards: 2, bots: ['rick'] },
      penalties: [{ field: 'top10Pct', value: 0.25, limit: 0.2, points: 5 }],
    })
    // The scanner bot's post gives 150 % for `fresh1d`. The answer limits the value to 1.
    expect(answer.fields).to.deep.include({ top10Pct: 0.25, bundlers: null, fresh1d: 1, holders: 412 })
    expect(answer).to.have.nested.property('gradeRules.bands[0].grade', 'A')
  })

  it('tell what came before a call: wallets once known, no numbers of a pool that was not tracked', async () => {
    const path = `/v1/rh/token/${fixedToken}/precall`
    expect(await sell<Answer>(path)).to.deep.include({
      ...{
        chain: 'chainA',
        token: fixedToken,
        postedAt: fixedPrecall.postedAtMs,
        tracked: true,
        buys: 14,
        buyEth: 2.25,
      },
      ...{ sameBlockMaxTx: 6, run60: 3.5, ageAtCallMin: 95, wallets: 9, sameBlockWallets: 5 },
      ...{ walletList: [`0x${'ab'.repeat(20)}`], flags: ['run', 'cluster'] },
    })
    expect(await sell<Answer>(path)).to.not.have.property('chg1h0')
    rows.precalls = [{ ...fixedPrecall, buyers: null }]
    expect(await sell<Answer>(path)).to.deep.include({
      ...{ wallets: null, sameBlockWallets: null, walletList: [], flags: ['run'] },
    })
    const unknown = { isTracked: false, buys: 0, buyEth: 0, sameBlockMaxTx: 0, ageAtCallMs: null, chg1h0: 212.5 }
    rows.precalls = [{ ...fixedPrecall, ...unknown, run60: 3.125, buyers: null }]
    expect(await sell<Answer>(path)).to.deep.include({
      ...{ tracked: false, buys: null, buyEth: null, sameBlockMaxTx: null, ageAtCallMin: null, run60: 3.125 },
      ...{ chg1h0: 212.5 },
    })
  })

  it('name no private chat and no caller, whatever these are called', async () => {
    const names = fc.stringMatching(/^[A-Za-z0-9_]{12,20}$/)
    const chat = fc.record({
      chat: fc.integer({ min: 10 ** 12, max: 10 ** 13 }).map((id) => `-${id}`),
      chatName: fc.option(names, { nil: null }),
      posters: fc.uniqueArray(fc.integer({ min: 10 ** 12, max: 10 ** 13 }).map(String), { minLength: 1, maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(chat, { minLength: 1, maxLength: 4, selector: (one) => one.chat }),
        async (chats) => {
          const call: CallRow = {
            ...fixedCall,
            chats: chats.map((one) => ({ ...one, firstAtMs: fixedCall.calledAtMs, posts: 1 })),
          }
          rows.calls = [call]
          rows.board = {
            ...fixedBoard,
            callers: chats.flatMap(({ chat: id, chatName, posters }) =>
              posters.map((poster) => ({ ...fixedCaller, chat: id, chatName, poster })),
            ),
          }
          const bodies = await Promise.all(pathOfEachRoute.map((path) => sell<object>(path)))
          const record = buildCall({ chats: chats.map((one) => buildChat(one)) })
          const part = createStreamPart({
            ...{ chainName: 'chainA', launchpadKey: 'launchCurve', ruleIdSecret: 'a secret', callerIdSecret },
          })
          const pushed = part.rows
            .find(({ recordType }) => recordType === 'Call')
            ?.rowOf({
              ...{ key: address(1), record, supersedesAtMs: null, coinUsd: 3000 },
              ...{ knownAtMs: noonMs + 1000, publishedAtMs: noonMs + 1500 },
            })
          const said = JSON.stringify([
            bodies,
            pushed ?? expect.fail('calls are pushed'),
            headlineOf(address(1), record),
          ])
          for (const { chat: id, chatName, posters } of chats) {
            for (const secret of [id, ...posters]) expect(said).to.not.contain(secret)
            if (chatName !== null) expect(said).to.contain(`@${chatName}`)
          }
        },
      ),
      { numRuns: 10 },
    )
  })

  it('hash callers and chats under the secret: another secret, chat or poster is another id', () => {
    const ids = [
      callerIdOf('-1', '2', 'one secret'),
      callerIdOf('-1', '2', 'other secret'),
      callerIdOf('-1', '3', 'one secret'),
      callerIdOf('-2', '2', 'one secret'),
      chatIdOf('-1', 'one secret'),
      chatIdOf('-1', 'other secret'),
    ]
    expect(new Set(ids).size).to.equal(ids.length)
    for (const id of ids) expect(id).to.match(/^[0-9a-f]{40}$/)
    // HMAC-SHA1 of `caller:-1:2`.
    expect(ids[0]).to.equal('53bddefad1c2ae996e295c9885aab6a1b74882bd')
  })

  it('are pushed in the shape of the live route when they are new, and only then', () => {
    const shown = streamedCalls({ chainName: 'chainA', callerIdSecret }, { stage: chainAStage, idLetter: 'a' })
    const record = buildCall()
    expect(shown.isNews?.(record)).to.equal(true)
    expect(shown.isNews?.(buildCall({ isFirst: false }))).to.equal(false)
    const row = shown.rowOf({
      ...{ key: address(1), record, supersedesAtMs: null, coinUsd: 3000, knownAtMs: noonMs + 30_000 },
      publishedAtMs: noonMs + 31_000,
    })
    expect(shown.schema.parse(row)).to.deep.equal(row)
    const unknown = shown.rowOf({
      ...{ key: address(1), record: buildCall({ hasCode: false }), supersedesAtMs: null, coinUsd: 3000 },
      ...{ knownAtMs: noonMs + 30_000, publishedAtMs: noonMs + 31_000 },
    })
    expect(shown.schema.parse(unknown)).to.not.have.property('chain')
    expect(row).to.deep.include({
      ...{
        chain: 'chainA',
        mint: address(1),
        calledAt: noonMs,
        minAgo: 0.5,
        atCall: null,
        moveSince: null,
        rugged: false,
        gaps: null,
      },
      ...{ callId: shown.idOf(address(1), { recordType: 'Call', atMs: noonMs }), knownAt: noonMs + 30_000 },
    })
  })

  it('are a line for a person when they are new', () => {
    const line = headlineOf(address(0xabcd), buildCall())
    expect(line).to.deep.equal({ atMs: noonMs, text: 'call   0x000000…abcd  in @public_calls' })
    const hidden = buildCall({ chats: [buildChat({ chatName: null })] })
    expect(headlineOf(address(0xabcd), hidden)?.text).to.contain('in a private chat')
    expect(headlineOf(address(0xabcd), buildCall({ isFirst: false }))).to.equal(null)
  })

  it('are as old as the stage that is the furthest behind', async () => {
    edge.state.otherCuts = { ...edge.state.otherCuts, chats: { ...chatsCut, blockAtMs: edge.nowMs - 60_000 } }
    const response = await edge.buy('/v1/sol/calls/live')
    expect(await response.json()).to.include({ ageSec: 59 })
  })
})
