import { expect } from 'chai'
import {
  chatsCut,
  fixedBoard,
  fixedCall,
  fixedCaller,
  fixedGradedMint,
  fixedToken,
} from '../../support/calls/fixed-queries.ts'
import { fixedCut } from '../../support/fixed-queries.ts'
import { bodyOf } from '../edge.ts'
import { callsEdgeOfTests } from './edge.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

type Sold = Readonly<{
  chain: string
  minutes: number
  hours: number
  calls: readonly Readonly<{ calledAt: number; chain: string }>[]
  rows: readonly Readonly<{ rank: number; n: number; callerId: string; win35: number | null }>[]
  window: string
  sort: string
}>

describe('the parameters of calls', () => {
  const { edge, rows, sell } = callsEdgeOfTests()

  const expectRefused = async (path: string, name: string, values: readonly (string | number)[]) => {
    for (const value of values) {
      const response = await edge.get(`${path}?${name}=${value}`)
      const { code, error } = await bodyOf(response)
      expect([response.status, code], `${path} ${name}=${value}`).to.deep.equal([400, 'bad_param'])
      expect(error).to.match(new RegExp(`^${name} `))
    }
  }
  const wrongNumbersOf = (name: string) => ['', '1e1', '0x10', '+5', 'all', `5&${name}=6`]

  it('minutes of live calls are 30 unless they are given, from 1 to 120, fractions floored', async () => {
    const ages = [1, 2, 30, 120].flatMap((minutes) => [minutes * minuteMs - 1, minutes * minuteMs])
    rows.calls = ages.map((age) => ({ ...fixedCall, calledAtMs: chatsCut.blockAtMs - age }))
    for (const [query, minutes] of [
      ['', 30],
      ['?minutes=1', 1],
      ['?minutes=2.9', 2],
      ['?minutes=120', 120],
    ] as const) {
      const sold = await sell<Sold>(`/v1/sol/calls/live${query}`)
      expect(
        sold.calls.map(({ calledAt }) => chatsCut.blockAtMs - calledAt),
        query,
      ).to.deep.equal(ages.filter((age) => age < minutes * minuteMs))
      expect(sold.minutes).to.equal(minutes)
    }
    await expectRefused('/v1/sol/calls/live', 'minutes', [0, 0.999, 120.001, ...wrongNumbersOf('minutes')])
  })

  it('hours and limit of outcomes are 48 and 500 unless they are given, from 1 to 48 and to 2000', async () => {
    const at = rows.rebuiltAtMs ?? expect.fail('it is rebuilt')
    rows.calls = Array.from({ length: 2500 }, (_, index) => ({
      ...{ ...fixedCall, calledAtMs: at - (index < 3 ? 2 : 40) * hourMs },
    }))
    for (const [query, hours, count] of [
      ['', 48, 500],
      ['?hours=3', 3, 3],
      ['?hours=2.5&limit=2.9', 2, 0],
      ['?hours=48&limit=2000', 48, 2000],
      ['?limit=1', 48, 1],
    ] as const) {
      const sold = await sell<Sold>(`/v1/sol/calls/outcomes${query}`)
      expect([sold.hours, sold.calls.length], query).to.deep.equal([hours, count])
    }
    await expectRefused('/v1/sol/calls/outcomes', 'hours', [0, 0.999, 48.001, ...wrongNumbersOf('hours')])
    await expectRefused('/v1/sol/calls/outcomes', 'limit', [0, 2001, ...wrongNumbersOf('limit')])
  })

  for (const path of ['/v1/sol/calls/live', '/v1/sol/calls/outcomes'])
    it(`chain on ${path} is one of both, and all without it`, async () => {
      rows.calls = [fixedCall, { ...fixedCall, chain: 'chain-b', token: fixedGradedMint }]
      for (const [query, name, chains] of [
        ['', 'all', ['chainA', 'chainB']],
        ['?chain=chainA', 'chainA', ['chainA']],
        ['?chain=chainB', 'chainB', ['chainB']],
      ] as const) {
        const sold = await sell<Sold>(path + query)
        expect([sold.chain, sold.calls.map(({ chain }) => chain)], query).to.deep.equal([name, chains])
      }
      await expectRefused(path, 'chain', ['', 'all', 'chain-a', 'chainA,chainB', 'chainA&chain=chainB'])
    })

  it('window, sort and limit of the leaderboard have their defaults, values and bounds', async () => {
    rows.board = {
      ...fixedBoard,
      callers: Array.from({ length: 250 }, (_, index) => ({ ...fixedCaller, poster: String(index), n: index + 1 })),
    }
    const path = '/v1/sol/callers/leaderboard'
    const ofQuery = async (query: string) => {
      const { rows: listed, window, sort } = await sell<Sold>(path + query)
      return [listed.length, window, sort]
    }
    expect(await ofQuery('')).to.deep.equal([50, '7d', 'win35'])
    expect(await ofQuery('?window=30d&sort=n&limit=200')).to.deep.equal([200, '30d', 'n'])
    expect(await ofQuery('?window=24h&sort=rug&limit=1.5')).to.deep.equal([1, '24h', 'rug'])
    await expectRefused(path, 'window', ['', '1h', '7D', '7d&window=30d'])
    await expectRefused(path, 'sort', ['', 'ret60', 'N'])
    await expectRefused(path, 'limit', [0, 201, ...wrongNumbersOf('limit')])
  })

  it('a token in the path is hex in either case or base58 as it is, and nothing else', async () => {
    const statusOf = async (path: string) => (await edge.get(path)).status
    const codeOf = async (path: string) => (await bodyOf(edge.get(path))).code
    rows.grades = [...rows.grades, { ...rows.grades[0], token: fixedToken, chain: 'chain-a' } as never]
    const upper = `0x${fixedToken.slice(2).toUpperCase()}`
    for (const mint of [fixedGradedMint, fixedToken, upper])
      expect(await statusOf(`/v1/scanner/${mint}`), mint).to.equal(402)
    for (const token of [fixedToken, upper]) expect(await statusOf(`/v1/rh/token/${token}/precall`)).to.equal(402)
    expect(await codeOf(`/v1/scanner/${fixedGradedMint.toLowerCase().replaceAll('l', 'm')}`)).to.be.oneOf([
      'not_tracked',
      'bad_address',
    ])
    const short = '1'.repeat(31)
    const wrong = [
      `${fixedToken}0`,
      fixedToken.slice(2),
      'x',
      `0X${fixedToken.slice(2)}`,
      short,
      `${fixedGradedMint}z9`,
    ]
    for (const mint of wrong) expect(await codeOf(`/v1/scanner/${mint}`), mint).to.equal('bad_address')
    for (const token of [fixedGradedMint, 'x'])
      expect(await codeOf(`/v1/rh/token/${token}/precall`)).to.equal('bad_address')
  })

  it('what no chat named is not tracked, and not charged', async () => {
    const other = `0x${'12'.repeat(20)}`
    for (const path of [`/v1/scanner/${other}`, `/v1/rh/token/${other}/precall`]) {
      const response = await edge.get(path)
      const { code, error } = await bodyOf(response)
      expect([response.status, code]).to.deep.equal([404, 'not_tracked'])
      expect(error).to.contain(other)
    }
  })

  it('hourly answers wait for the first whole minute', async () => {
    rows.rebuiltAtMs = null
    for (const path of ['/v1/sol/calls/outcomes', '/v1/sol/callers/leaderboard']) {
      const response = await edge.get(path)
      expect([response.status, (await bodyOf(response)).code]).to.deep.equal([503, 'warming_up'])
    }
    expect((await edge.get('/v1/sol/calls/live')).status).to.equal(402)
  })

  for (const [sick, mint, otherMint, wireName, otherName] of [
    ['chain-a', fixedToken, fixedGradedMint, 'chainA', 'chainB'],
    ['chain-b', fixedGradedMint, fixedToken, 'chainB', 'chainA'],
  ] as const)
    it(`answers about the other chain are sold while ${sick} stands still, and those about it or both are not`, async () => {
      rows.grades = [fixedToken, fixedGradedMint].map((token) => ({ ...rows.grades[0], token }) as never)
      rows.calls = [{ ...fixedCall, chain: sick === 'chain-a' ? 'chain-b' : 'chain-a' }]
      const standing = { ...fixedCut, blockAtMs: edge.nowMs - 10 * minuteMs }
      if (sick === 'chain-a') edge.state.cut = standing
      else edge.state.otherCuts = { ...edge.state.otherCuts, 'chain-b': standing }
      for (const path of [`/v1/scanner/${mint}`, '/v1/sol/calls/live', `/v1/sol/calls/live?chain=${wireName}`])
        expect((await bodyOf(edge.get(path))).code, path).to.equal('data_stale')
      for (const path of [`/v1/scanner/${otherMint}`, `/v1/sol/calls/live?chain=${otherName}`]) {
        const sold = await edge.buy(path)
        expect(sold.status, path).to.equal(200)
        // `ageSec` depends only on the chain that the answer uses.
        expect(((await sold.json()) as { ageSec: number }).ageSec, path).to.be.below(60)
      }
    })

  it('hourly answers that tell of more than three hours ago are stale, however young the cut is', async () => {
    for (const path of ['/v1/sol/calls/outcomes', '/v1/sol/callers/leaderboard'])
      for (const [pastMs, status, code] of [
        [0, 402, 'payment_required'],
        [1, 503, 'data_stale'],
      ] as const) {
        rows.rebuiltAtMs = edge.nowMs - 3 * hourMs - pastMs
        const response = await edge.get(path)
        expect([response.status, (await bodyOf(response)).code], `${path} ${pastMs}`).to.deep.equal([status, code])
      }
  })

  it('nothing is sold while the chats are silent for longer than a route allows', async () => {
    for (const [path, limitMs] of [
      ['/v1/sol/calls/live', 120_000],
      [`/v1/scanner/${fixedGradedMint}`, 180_000],
      [`/v1/rh/token/${fixedToken}/precall`, 180_000],
      ['/v1/sol/calls/outcomes', 3 * hourMs],
      ['/v1/sol/callers/leaderboard', 3 * hourMs],
    ] as const)
      for (const [pastMs, status] of [
        [0, 402],
        [1, 503],
      ] as const) {
        edge.state.otherCuts = {
          ...edge.state.otherCuts,
          chats: { ...chatsCut, blockAtMs: edge.nowMs - limitMs - pastMs },
        }
        const response = await edge.get(path)
        expect(response.status, `${path} ${pastMs}`).to.equal(status)
        if (status === 503) expect((await bodyOf(response)).code).to.equal('data_stale')
      }
  })
})
