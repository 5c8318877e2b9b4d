import { expect } from 'chai'
import type { Covered } from '../../../projections/coverage.ts'
import type { Cuts, StageCut } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { fixedCut } from '../../support/fixed-queries.ts'
import { edgeOfTests } from '../edge.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const hourAtMs = Math.floor(1_790_000_010_000 / hourMs) * hourMs
const nowMs = hourAtMs + 40 * minuteMs

type Restatements = Readonly<{
  generatedAt: number
  next: string
  missingUntil: number | null
  note?: string
  restatements: readonly Readonly<Record<string, unknown>>[]
}>
type Coverage = Readonly<{
  generatedAt: number
  chains: Readonly<Record<string, Readonly<{ hours: readonly object[]; rules: object; announced: object }>>>
}>

describe('what is told of the own record', () => {
  const pool = `0x${'5b'.repeat(32)}`
  const correction = (agoMin: number, changes: object = {}) => ({
    ...{ knownAtMs: nowMs - agoMin * minuteMs, publishedAtMs: nowMs - agoMin * minuteMs + 5, recordType: 'Burst' },
    ...{ token: '0xtoken', key: { atMs: hourAtMs, pool, tier: 'main' }, atMs: hourAtMs, movedFromAtMs: null },
    ...{ isWithdrawn: false, reason: 'reorg' as const, changes: [{ field: 'buys', from: 14, to: null }] },
    ...changes,
  })
  const corrections = [
    correction(30),
    correction(30, { movedFromAtMs: hourAtMs - 5000 }),
    correction(20, { isWithdrawn: true }),
    correction(14.9),
  ]
  const asked = { corrections: 0, covered: [] as StageCut[] }
  let isFailing = false
  const covered: Covered = {
    knownSinceMs: hourAtMs,
    rules: [{ version: 'a10', sinceMs: hourAtMs }],
    hours: [
      {
        ...{ hourAtMs, ticks: 1500, blocks: { first: 1, last: 9 }, late: [], unpriced: [] },
        silent: [{ fromMs: hourAtMs + 1, toMs: hourAtMs + 70_000 }],
      },
      { ...{ hourAtMs: hourAtMs + hourMs, ticks: 0, blocks: null, silent: [], late: [], unpriced: [] } },
    ],
    watched: new Map([[hourAtMs, { bursts: 3 }]]),
    tradeGaps: new Map([[hourAtMs, { open: 1, givenUp: 2, late: 3 }]]),
    chatGaps: [{ fromMs: hourAtMs - 5, toMs: hourAtMs + hourMs + 5, reason: 'offline', chats: 2 }],
  }
  const stageCut = (atMs: number): StageCut => ({ ...fixedCut, atMs, blockAtMs: atMs - 1000 })
  const log = { readAtMs: nowMs as number | null }
  const cutOf = (atMs: number) => ({ atMs, stages: { [chainAStage.name]: stageCut(atMs) } })
  const cuts: Cuts = {
    newest: async () => (log.readAtMs === null ? null : cutOf(log.readAtMs)),
    at: async (atMs) => (log.readAtMs === null || atMs > log.readAtMs ? null : cutOf(atMs)),
    oldestAtMs: async () => 0,
  }
  const edge = edgeOfTests({
    cuts,
    record: {
      corrections: {
        async knownIn({ afterMs, toMs }, limit) {
          asked.corrections++
          if (isFailing) throw new RangeError('a read fails')
          return corrections.filter(({ knownAtMs }) => knownAtMs > afterMs && knownAtMs <= toMs).slice(-limit)
        },
        missingUntilMs: async () => 0,
      },
      async covered(cut) {
        asked.covered.push(cut)
        return covered
      },
    },
    announcedRules: [
      { stage: 'chain-a', version: 'a14', fromMs: nowMs + hourMs },
      { stage: 'chain-a', version: 'a10', fromMs: nowMs - hourMs },
      { stage: 'chain-b', version: 'b11', fromMs: nowMs },
    ],
  })
  const get = async <Of>(path: string): Promise<Of> => (await (await edge.get(path)).json()) as Of

  beforeEach(() => {
    edge.nowMs = nowMs
    log.readAtMs = nowMs
    isFailing = false
    Object.assign(asked, { corrections: 0, covered: [] })
  })

  it('lists what was corrected until fifteen minutes ago, with its kind and the id of the row', async () => {
    const body = await get<Restatements>('/v1/restatements')
    expect(body.generatedAt).to.be.within(nowMs - 15 * minuteMs - 20_000, nowMs - 15 * minuteMs)
    expect(body.restatements.map(({ kind, movedFrom }) => [kind, movedFrom])).to.deep.equal([
      ['restated', null],
      ['moved', hourAtMs - 5000],
      ['withdrawn', null],
    ])
    expect(body.restatements[0]).to.deep.include({
      ...{ chain: 'chainA', type: 'Burst', token: '0xtoken', at: hourAtMs, reason: 'reorg' },
      row: { atMs: hourAtMs, pool, tier: 'main' },
      changes: [{ field: 'buys', from: 14, to: null }],
    })
    expect(body.restatements[0]?.id).to.match(/^[0-9a-f]{16}$/)
    expect(body.next).to.equal(`${nowMs - 20 * minuteMs}-1`)
  })

  it('lists page by page what follows a cursor, and nothing twice', async () => {
    const first = await get<Restatements>('/v1/restatements?limit=2')
    expect(first.restatements).to.have.lengthOf(2)
    expect(first.next).to.equal(`${nowMs - 30 * minuteMs}-2`)
    const second = await get<Restatements>(`/v1/restatements?limit=2&since=${first.next}`)
    expect(second.restatements.map(({ kind }) => kind)).to.deep.equal(['withdrawn'])
    const third = await get<Restatements>(`/v1/restatements?since=${second.next}`)
    expect(third.restatements).to.deep.equal([])
    expect(third.next).to.equal(second.next)
    // Five minutes later, the publishing delay of one more correction has passed.
    edge.nowMs = nowMs + 5 * minuteMs
    log.readAtMs = edge.nowMs
    expect((await get<Restatements>(`/v1/restatements?since=${third.next}`)).restatements).to.have.lengthOf(1)
  })

  it('refuses what is no cursor and no count of rows, and says what to do', async () => {
    for (const [query, says] of [
      ['since=yesterday', 'since must be the value of `next` in an earlier answer'],
      ['since=-1-2', 'since must be the value of `next` in an earlier answer'],
      ['since=1-2&since=1-2', 'since was given more than one time'],
      ['limit=0', 'limit must be a plain decimal number from 1 to 500'],
      ['limit=501', 'limit must be a plain decimal number from 1 to 500'],
    ] as const) {
      const answer = await edge.get(`/v1/restatements?${query}`)
      expect(answer.status, query).to.equal(400)
      expect(await answer.json())
        .to.include({ code: 'bad_param' })
        .and.to.have.property('error')
        .that.includes(says)
    }
  })

  it('asks the tables once in twenty seconds, however many ask for whatever, and again after a failure', async () => {
    edge.nowMs = nowMs + 20 * minuteMs
    log.readAtMs = edge.nowMs
    isFailing = true
    expect((await edge.get('/v1/restatements')).status).to.equal(500)
    isFailing = false
    for (let turn = 0; turn < 5; turn++) await get(`/v1/restatements?limit=${turn + 1}`)
    expect(asked.corrections).to.equal(2)
  })

  it('says that a chain is not known yet', async () => {
    edge.nowMs = nowMs + 60 * minuteMs
    log.readAtMs = null
    const body = await get<Restatements>('/v1/restatements')
    expect(body.restatements).to.deep.equal([])
    expect(body.next).to.equal('0-0')
    expect(body.note).to.match(/^Not every chain was known 15 minutes ago/)
  })

  it('tells the coverage hour by hour as it was known fifteen minutes ago', async () => {
    const { generatedAt, chains } = await get<Coverage>('/v1/coverage')
    expect(generatedAt).to.be.within(nowMs - 16 * minuteMs, nowMs - 15 * minuteMs)
    expect(asked.covered.map(({ atMs }) => atMs)).to.deep.equal([generatedAt])
    expect(chains.chainA?.hours).to.deep.equal([
      {
        ...{ hour: hourAtMs, ticks: 1500, blocks: { first: 1, last: 9 }, late: [], unpriced: [] },
        silent: [{ from: hourAtMs + 1, to: hourAtMs + 70_000 }],
        tradeGaps: { open: 1, givenUp: 2, late: 3 },
        chatGaps: [{ from: hourAtMs, to: hourAtMs + hourMs, reason: 'offline', chats: 2 }],
        watched: { bursts: 3 },
      },
      {
        ...{ hour: hourAtMs + hourMs, ticks: 0, blocks: null, silent: [], late: [], unpriced: [] },
        tradeGaps: { open: 0, givenUp: 0, late: 0 },
        chatGaps: [{ from: hourAtMs + hourMs, to: hourAtMs + hourMs + 5, reason: 'offline', chats: 2 }],
        watched: {},
      },
    ])
    expect(chains.chainA).to.include({ knownSince: hourAtMs, knownUntil: generatedAt })
    await get('/v1/coverage')
    expect(asked.covered, 'asked once a minute').to.have.lengthOf(1)
  })

  it('lists versions of the rules that are announced, until they are in force', async () => {
    const { chains } = await get<Coverage>('/v1/coverage')
    expect(chains.chainA?.rules).to.deep.equal([{ version: 'a10', since: hourAtMs }])
    expect(chains.chainA?.announced).to.deep.equal([{ version: 'a14', from: nowMs + hourMs }])
  })

  it('tells nothing of a chain that is not known', async () => {
    edge.nowMs = nowMs + 120 * minuteMs
    log.readAtMs = null
    const { chains } = await get<Coverage>('/v1/coverage')
    expect(chains.chainA).to.deep.include({ knownSince: null, knownUntil: null, hours: [], rules: [] })
    expect(asked.covered).to.have.lengthOf(0)
  })

  it('is asked 30 times a minute by one address', async () => {
    const headers = { 'X-Forwarded-For': '1.2.3.77' }
    for (const path of ['/v1/restatements', '/v1/coverage']) {
      const statuses: number[] = []
      for (let turn = 0; turn < 31; turn++) statuses.push((await edge.get(path, { headers })).status)
      expect(
        statuses.filter((status) => status === 200),
        path,
      ).to.have.lengthOf(30)
      expect(statuses.at(-1)).to.equal(429)
    }
  })
})
