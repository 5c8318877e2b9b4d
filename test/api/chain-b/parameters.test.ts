import { expect } from 'chai'
import type { BurstRow, GraduationRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { chainBCut, fixedBurst, fixedGraduation, fixedList, fixedWallet } from '../../support/chain-b/fixed-queries.ts'
import { bodyOf } from '../edge.ts'
import { chainBEdgeOfTests } from './edge.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Returns two row ages for each time window. A row that is 1 ms younger than the window is shown. A row of
 * exactly that age is left out.
 */
const bothSidesOf = (durations: readonly number[]): readonly number[] =>
  durations.flatMap((duration) => [duration - 1, duration])

const burstAged = (ageMs: number): BurstRow => ({ ...fixedBurst, atMs: chainBCut.blockAtMs - ageMs })
const graduationAged = (ageMs: number): GraduationRow => ({
  ...fixedGraduation,
  gradAtMs: chainBCut.blockAtMs - ageMs,
  post: null,
})

type Sold = Readonly<{
  bursts: readonly Readonly<{ at: number }>[]
  grads: readonly Readonly<{ gradAt: number }>[]
  wallets: readonly Readonly<{ rank: number; wallet: string }>[]
  minutes: number
  hours: number
  windowMin: number
  chainB: Pick<Sold, 'bursts'>
}>

describe('the parameters of chain B', () => {
  const { edge, rows, sell } = chainBEdgeOfTests()
  const agesOf = ({ bursts = [], grads = [] }: Partial<Sold>) =>
    [...bursts.map(({ at }) => at), ...grads.map(({ gradAt }) => gradAt)].map((at) => chainBCut.blockAtMs - at)

  const expectRefused = async (path: string, name: string, values: readonly (string | number)[]) => {
    for (const value of values) {
      const response = await edge.get(`${path}?${name}=${value}`)
      const { code, error } = await bodyOf(response)
      expect([response.status, code], `${path} ${name}=${value}`).to.deep.equal([400, 'bad_param'])
      expect(error).to.match(new RegExp(`^${name} `))
    }
  }
  const wrongNumbersOf = (name: string) => ['', '1e1', '0x10', '+5', 'all', `5&${name}=6`]

  for (const path of ['/v1/sol/bursts/live', '/v1/sol/grads/live'])
    it(`minutes on ${path} are 60 unless they are given, from 1 to 240, fractions floored`, async () => {
      const bounds = bothSidesOf([1, 1.5, 60, 240].map((minutes) => minutes * minuteMs))
      rows.bursts = bounds.map(burstAged)
      rows.graduations = bounds.map(graduationAged)
      const agesIn = (minutes: number) => bounds.filter((age) => age < minutes * minuteMs)
      for (const [query, minutes] of [
        ['', 60],
        ['?minutes=1', 1],
        ['?minutes=1.9', 1],
        ['?minutes=240', 240],
        ['?hours=1&tier=main', 60],
      ] as const) {
        const sold = await sell<Sold>(path + query)
        expect(agesOf(sold), query).to.deep.equal(agesIn(minutes))
        if (path.includes('grads')) expect(sold.minutes).to.equal(minutes)
      }
      await expectRefused(path, 'minutes', [0, -1, 0.999, 240.001, 241, ...wrongNumbersOf('minutes')])
    })

  for (const [path, max] of [
    ['/v1/sol/bursts/history', 24],
    ['/v1/sol/grads/history', 48],
  ] as const)
    it(`hours on ${path} are 24 unless they are given, from 1 to ${max}, fractions floored`, async () => {
      const bounds = bothSidesOf([1, 2, 2.5, 24, 48].map((hours) => hours * hourMs))
      rows.bursts = bounds.map(burstAged)
      rows.graduations = bounds.map(graduationAged)
      const agesIn = (hours: number) => bounds.filter((age) => age < hours * hourMs)
      for (const [query, hours] of [
        ['', 24],
        ['?hours=1', 1],
        ['?hours=2.5', 2],
        [`?hours=${max}`, max],
      ] as const) {
        const sold = await sell<Sold>(path + query)
        expect(agesOf(sold), query).to.deep.equal(agesIn(hours))
        if (path.includes('grads')) expect(sold.hours).to.equal(hours)
      }
      await expectRefused(path, 'hours', [0, -1, 0.999, max + 0.001, max + 1, ...wrongNumbersOf('hours')])
    })

  it('limit of the graduations is 500 unless it is given, from 1 to 2000, fractions floored', async () => {
    const path = '/v1/sol/grads/history'
    rows.graduations = Array.from({ length: 2001 }, (_, index) => graduationAged(index))
    for (const [query, limit] of [
      ['', 500],
      ['?limit=1', 1],
      ['?limit=2.9', 2],
      ['?limit=2000', 2000],
    ] as const)
      expect((await sell<Sold>(path + query)).grads, query).to.have.length(limit)
    await expectRefused(path, 'limit', [0, 0.999, 2000.001, 2001, ...wrongNumbersOf('limit')])
  })

  it('limit of the leaders is 50 unless it is given, from 1 to 50, fractions floored', async () => {
    const path = '/v1/sol/wallets/leaders'
    const [leader] = fixedList.leaders
    if (!leader) expect.fail()
    rows.list = { ...fixedList, leaders: Array.from({ length: 50 }, (_, index) => ({ ...leader, n: 60 - index })) }
    for (const [query, limit] of [
      ['', 50],
      ['?limit=1', 1],
      ['?limit=2.9', 2],
      ['?limit=50', 50],
      ['?hours=1', 50],
    ] as const) {
      const { wallets } = await sell<Sold>(path + query)
      const ranks = Array.from({ length: limit }, (_, index) => index + 1)
      expect(
        wallets.map(({ rank }) => rank),
        query,
      ).to.deep.equal(ranks)
    }
    await expectRefused(path, 'limit', [0, -1, 0.999, 50.001, 51, ...wrongNumbersOf('limit')])
  })

  it('a wallet is 32 bytes in base58, in its own case; anything else is a bad address, whatever is asked for first', async () => {
    const pathOf = (wallet: string) => `/v1/sol/wallets/${wallet}/copy-stats`
    const codeOf = async (wallet: string) => {
      const response = await edge.get(pathOf(wallet))
      return [response.status, (await bodyOf(response)).code]
    }
    expect(await codeOf(fixedWallet)).to.deep.equal([402, 'payment_required'])
    // The first wallet is 32 zero bytes, which gives the shortest text. The other wallet is the largest
    // number of 32 bytes.
    for (const wallet of ['1'.repeat(32), 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG'])
      expect(await codeOf(wallet), wallet).to.deep.equal([404, 'not_tracked'])
    const wrong = [
      ...['1'.repeat(31), '1'.repeat(33), 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH', 'z'.repeat(44)],
      ...[`${fixedWallet.slice(0, -1)}0`, `${fixedWallet.slice(0, -1)}l`, `0x${'11'.repeat(20)}`, `%20${fixedWallet}`],
      ...[fixedWallet.slice(0, 30), `${fixedWallet}${fixedWallet}`, 'leaders'],
    ]
    for (const wallet of wrong) expect(await codeOf(wallet), wallet).to.deep.equal([400, 'bad_address'])
  })

  it('minutes of the snapshot hold for the bursts of chain B too', async () => {
    const bounds = bothSidesOf([1, 60, 240].map((minutes) => minutes * minuteMs))
    rows.bursts = bounds.map(burstAged)
    for (const [query, minutes] of [
      ['', 60],
      ['?minutes=1.9', 1],
      ['?minutes=240', 240],
    ] as const) {
      const { windowMin, chainB } = await sell<Sold>(`/v1/snapshot${query}`)
      expect([windowMin, agesOf(chainB)], query).to.deep.equal([
        minutes,
        bounds.filter((age) => age < minutes * minuteMs),
      ])
    }
  })

  it('history shows what is scored alone', async () => {
    rows.bursts = [{ ...burstAged(5), outcome: null }, burstAged(6)]
    expect(agesOf(await sell<Sold>('/v1/sol/bursts/history'))).to.deep.equal([6])
    expect(agesOf(await sell<Sold>('/v1/sol/bursts/live'))).to.deep.equal([5, 6])
  })
})
