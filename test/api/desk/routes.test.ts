/**
 * Tests the routes of the paper desk, the simulated trader: the paid list of trades and the free statistics.
 */
import { expect } from 'chai'
import { createChainA } from '../../../api/chain-a/chain.ts'
import { createChainB } from '../../../api/chain-b/chain.ts'
import { createDeskStatsRoute } from '../../../api/desk/stats-route.ts'
import { createDeskTradesRoute } from '../../../api/desk/trades-route.ts'
import type { AnsweredRoute } from '../../../api/route.ts'
import { parseParams } from '../../../api/sale/params.ts'
import type { Cut } from '../../../projections/cuts.ts'
import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import { chainBDesk } from '../../../schemas/chain-b/desk.ts'
import { chainBCut, createFixedChainBQueries, fixedMint } from '../../support/chain-b/fixed-queries.ts'
import { buildTrade } from '../../support/fixed-desk.ts'
import { createFixedQueries, fixedCut } from '../../support/fixed-queries.ts'

const secrets = { ruleIdSecret: 'a secret of the test', callerIdSecret: 'another secret of the test' }
const dayMs = 86_400_000

const open = () => {
  const { queries, state } = createFixedQueries()
  const { queries: queriesB, rows } = createFixedChainBQueries()
  const chains = [
    createChainA({ queries, presentation: { chainName: 'chainA', launchpadKey: 'launchCurve', ...secrets } }),
    createChainB({ queries: queriesB, presentation: { chainName: 'chainB', ...secrets } }),
  ]
  const parts = chains.flatMap(({ desk }) => desk ?? [])
  const cut: Cut = { atMs: fixedCut.atMs, stages: { 'chain-a': fixedCut, 'chain-b': chainBCut } }
  return { state, rows, parts, cut, route: createDeskTradesRoute(parts) as AnsweredRoute }
}

type Trades = Readonly<{ since: number; trades: readonly Readonly<Record<string, unknown>>[] }>

describe('the closed trades of the desk', () => {
  const ask = async (query: Readonly<Record<string, string>>, opened = open()) => {
    const parsed = parseParams(opened.route.params, { query, path: {} })
    if (!('values' in parsed)) return { code: parsed.refusal.code }
    return (await opened.route.answer(parsed.values, opened.cut)) as Trades
  }
  const listed = async (query: Readonly<Record<string, string>>, opened = open()) =>
    ((await ask(query, opened)) as Trades).trades.map(({ chain, lane }) => `${chain} ${lane}`)

  it('come from both chains, the newest closing first, in a stated shape', async () => {
    const { trades, ...head } = (await ask({})) as Trades & Readonly<Record<string, unknown>>
    expect(head).to.deep.include({
      ...{ schemaVersion: 1, generatedAt: fixedCut.atMs, ageSec: 3, book: 'all', mode: 'paper' },
      since: fixedCut.atMs - dayMs,
    })
    expect(trades).to.deep.equal([
      {
        ...{ book: 'main', mode: 'paper', desk: 'desk-b', lane: 'burst', chain: 'chainB' },
        ...{ token: fixedMint, openedAt: 1_789_999_003_000, closedAt: 1_789_999_700_000 },
        ...{ ret: -0.175, peakRet: 0.5, exit: 'stop' },
        ...{ knownAt: 1_789_999_601_000, publishedAt: 1_789_999_601_000, id: trades[0]?.id },
      },
      {
        ...{ book: 'main', mode: 'paper', desk: 'desk-a', lane: 'burst-spread', chain: 'chainA' },
        ...{ token: `0x${'a1'.repeat(20)}`, openedAt: 1_789_999_003_000, closedAt: 1_789_999_600_000 },
        ...{ ret: 0.25, peakRet: 0.5, exit: 'take-profit' },
        ...{ knownAt: 1_789_999_601_000, publishedAt: 1_789_999_601_000, id: trades[1]?.id },
      },
    ])
    expect(new Set(trades.map(({ id }) => id)).size).to.equal(2)
  })

  it('have the ids that are written down', async () => {
    const { trades } = (await ask({})) as Trades
    // The ids come from this command, and from a similar command for chain A:
    // printf 'b:<mint>:burst:1789999003000' | sha1sum
    expect(trades.map(({ id }) => id)).to.deep.equal(['30e5a8f86776e3b5', '546ebad28f5dfeab'])
  })

  it('are those since an instant, of a book, and at most as many as asked for', async () => {
    const opened = open()
    opened.state.deskTrades = [
      buildTrade({ closedAtMs: 1_789_999_800_000, lane: 'call-1', book: 'explore' }),
      buildTrade(),
    ]
    expect(await listed({}, opened)).to.deep.equal(['chainA call-1', 'chainB burst', 'chainA burst-spread'])
    expect(await listed({ limit: '2' }, opened)).to.deep.equal(['chainA call-1', 'chainB burst'])
    expect(await listed({ book: 'explore' }, opened)).to.deep.equal(['chainA call-1'])
    expect(await listed({ since: '1789999700000' }, opened)).to.deep.equal(['chainA call-1', 'chainB burst'])
    expect(await listed({ since: '1789999700001' }, opened)).to.deep.equal(['chainA call-1'])
    expect(await listed({ since: new Date(1_789_999_800_000).toISOString() }, opened)).to.deep.equal(['chainA call-1'])
  })

  for (const [text, expected] of [
    ['0', 0],
    ['1790000000000', 1_790_000_000_000],
    ['2026-09-21', Date.UTC(2026, 8, 21)],
    ['2026-09-21T14:00:00Z', Date.UTC(2026, 8, 21, 14)],
    ['2026-09-21T14:00:00.250Z', Date.UTC(2026, 8, 21, 14, 0, 0, 250)],
    ['2026-09-21T14:00:00+02:00', Date.UTC(2026, 8, 21, 12)],
    ['8640000000000000', 8_640_000_000_000_000],
  ] as const)
    it(`take since=${text}`, async () => expect(((await ask({ since: text })) as Trades).since).to.equal(expected))

  for (const text of [
    '',
    '-1',
    '1e12',
    '007',
    '1.5',
    'yesterday',
    '2026-02-30',
    '2026-09-21T14:00:00',
    '1969-12-31',
    '8640000000000001',
  ])
    it(`refuse since=${text === '' ? 'nothing' : text}`, async () =>
      expect(await ask({ since: text })).to.deep.equal({ code: 'bad_param' }))
  for (const query of [{ limit: '0' }, { limit: '3001' }, { book: 'twins' }, { book: 'MAIN' }])
    it(`refuse ${JSON.stringify(query)}`, async () => expect(await ask(query)).to.deep.equal({ code: 'bad_param' }))
  it('take the bounds of the limit', async () => {
    for (const limit of ['1', '3000', '2.9']) expect(await ask({ limit })).to.have.property('trades')
  })

  it('are presented once as long as they do not change', async () => {
    const opened = open()
    const [first, second] = [(await ask({}, opened)) as Trades, (await ask({ limit: '2' }, opened)) as Trades]
    expect(first.trades).to.have.length(2)
    for (const [index, trade] of first.trades.entries()) expect(second.trades[index]).to.equal(trade)
    opened.state.deskTrades = [buildTrade({ ret: -0.5 })]
    const third = (await ask({}, opened)) as Trades
    expect(third.trades[0]).to.equal(first.trades[0])
    expect(third.trades[1]).to.include({ ret: -0.5 })
  })

  it('fit the schema, as does the example', async () => {
    const { route } = open()
    expect(route.schema.safeParse(await ask({})).success).to.equal(true)
    expect(route.schema.safeParse((await route.example?.())?.body).success).to.equal(true)
  })

  it('are not sold without a chain that has a desk', () => expect(createDeskTradesRoute([])).to.equal(null))
})

type Stats = Readonly<{
  note?: string
  generatedAt: number
  trials: number
  books: Readonly<Record<'main' | 'explore', Readonly<Record<string, unknown>>>>
  lanes: readonly Readonly<Record<string, unknown>>[]
}>

describe('the record of the desk', () => {
  const openStats = () => {
    const opened = open()
    const clock = { nowMs: fixedCut.atMs + 500 }
    let looks = 0
    let cut: Cut | null = opened.cut
    const route = createDeskStatsRoute({
      parts: opened.parts,
      answers: {
        newestCut: async () => {
          looks++
          return cut
        },
      },
      nowMs: () => clock.nowMs,
    })
    if (route === null) expect.fail('there is a desk')
    const stats = async () => (await route.answer({})) as Stats
    return { ...opened, clock, route, stats, looks: () => looks, cutTo: (next: Cut | null) => (cut = next) }
  }

  it('is told by book and by lane, those without a trade too, and fits its schema', async () => {
    const { route, stats, state } = openStats()
    state.deskTrades = [buildTrade(), buildTrade({ lane: 'call-1', book: 'explore', ret: -0.5, twins: [] })]
    const body = await stats()
    expect(route.schema.safeParse(body).error?.issues).to.equal(undefined)
    expect(body.lanes).to.have.length(chainADesk.lanes.length + chainBDesk.lanes.length)
    expect(body.trials).to.equal(body.lanes.length)
    expect(body.books.main).to.deep.include({
      n: 2,
      wins: 1,
      index: [
        [1_789_999_600_000, 100.25],
        [1_789_999_700_000, 100.075],
      ],
    })
    expect(body.books.main.mean).to.be.closeTo(0.0375, 1e-15)
    expect(body.books.explore).to.deep.include({ n: 1, wins: 0, mean: -0.5 })
    const lane = body.lanes.find(({ chain, lane: name }) => chain === 'chainA' && name === 'burst-spread')
    expect(lane).to.deep.include({
      ...{ n: 1, mean: 0.25 },
    })
    expect(lane?.twins).to.deep.include({ n: 1, edgeLow: null, edgeHigh: null, p: 1 / 21 })
    expect(lane).to.have.nested.property('twins.edge').that.is.closeTo(0.275, 1e-15)
    expect(body.lanes.find(({ lane: name }) => name === 'burst-lite')).to.include({ n: 0, mean: null, psr: null })
    expect(body).not.to.have.property('note')
  })

  it('is counted once a minute, once for all who ask at a time', async () => {
    const { stats, looks, clock, parts } = openStats()
    const [first, second] = await Promise.all([stats(), stats()])
    expect([second, looks()]).to.deep.equal([first, parts.length])
    clock.nowMs += 59_999
    expect(await stats()).to.equal(first)
    clock.nowMs += 1
    expect(await stats()).not.to.equal(first)
    expect(looks()).to.equal(2 * parts.length)
  })

  /**
   * Opens the statistics route. `looks` gets one entry for each call of `newestCut`. Each call waits until
   * the test calls `end` or `fail` of this entry.
   */
  const openCounting = () => {
    const { parts } = open()
    const [part] = parts
    if (!part) expect.fail('there is a desk')
    const clock = { nowMs: fixedCut.atMs }
    const looks: Readonly<{ end: () => void; fail: (reason: Error) => void }>[] = []
    const newestCut = () =>
      new Promise<null>((resolve, reject) => {
        looks.push({ end: () => resolve(null), fail: reject })
      })
    const route = createDeskStatsRoute({ parts: [part], answers: { newestCut }, nowMs: () => clock.nowMs })
    if (route === null) expect.fail('there is a desk')
    return { clock, looks, stats: async () => (await route.answer({})) as Stats }
  }
  const away = new RangeError('the tables are away')
  const failureOf = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)

  it('is counted again within the minute after a failure, which all hear who waited', async () => {
    const { looks, stats } = openCounting()
    const waiting = [stats(), stats()].map(failureOf)
    looks[0]?.fail(away)
    expect(await Promise.all(waiting)).to.deep.equal([away, away])
    const again = stats()
    looks[1]?.end()
    expect(await again).to.have.property('trials')
    expect(await stats()).to.equal(await again)
    expect(looks).to.have.length(2)
  })

  /**
   * The second request starts when the first request is a minute old. The second request succeeds, and then
   * the first request fails. The count of the second request must still be shown.
   */
  it('stays when a count of a minute ago fails after it', async () => {
    const { clock, looks, stats } = openCounting()
    const first = failureOf(stats())
    clock.nowMs += 60_000
    const second = stats()
    looks[1]?.end()
    const counted = await second
    looks[0]?.fail(away)
    expect(await first).to.equal(away)
    expect(await stats()).to.equal(counted)
    expect(looks).to.have.length(2)
  })

  it('says so where nothing is known yet', async () => {
    const { stats, cutTo, route } = openStats()
    cutTo(null)
    const body = await stats()
    expect(body.note).to.equal('Nothing is known of chainA and chainB yet.')
    expect(body.books.main).to.deep.include({ n: 0, index: [] })
    expect(route.schema.safeParse(body).success).to.equal(true)
  })

  it('has an example that fits, and is not there without a desk', async () => {
    const { route } = openStats()
    expect(route.schema.safeParse(await route.example?.()).error?.issues).to.equal(undefined)
    expect(createDeskStatsRoute({ parts: [], answers: { newestCut: async () => null }, nowMs: () => 0 })).to.equal(null)
  })
})
