import { expect } from 'chai'
import type { FrontPrices } from '../../../api/front/parts.ts'
import { renderTokenPage } from '../../../api/front/token-page.ts'
import type { TokenShown } from '../../../api/front/tokens.ts'
import { minuteMs } from '../../../schemas/units.ts'

const startMs = Date.UTC(2026, 10, 28, 10)
const at = (minutes: number) => startMs + minutes * minuteMs

const prices: FrontPrices = {
  ...{ name: 'TEST', market: 'The only pool.', poolFromMs: null, areTradesMissing: false },
  points: [
    { minuteAtMs: at(0), px: 2e-14 },
    { minuteAtMs: at(1), px: 8e-14 },
    { minuteAtMs: at(5), px: 1e-14 },
  ],
}
const shown: TokenShown = {
  ...{ token: '0xabcdef0123456789', atMs: at(8), blockAtMs: at(7), prices, bursts: [], namers: [] },
  chain: { wireName: 'chainA', coin: 'ETH', endsAt: 'later', pricesOf: async () => null },
}
const pageOf = (changes: Partial<TokenShown> = {}, isLive = false) =>
  renderTokenPage({ ...shown, ...changes }, { script: '', isLive })
const dataOf = (page: string, name: 'line' | 'pins') =>
  JSON.parse((page.match(new RegExp(`data-${name}="([^"]*)"`))?.[1] ?? '').replaceAll('&quot;', '"'))
const wordsOf = (page: string) => page.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')

describe('the page of a token', () => {
  //   minutes   0    1    2              5    6    7 (newest block)
  //   px        2    8                   1
  //   line           1    4                   0.5  0.5
  it('draws the prices as multiples of the first, each at the end of its minute, up to the newest block', () => {
    const page = pageOf()
    expect(dataOf(page, 'line')).to.deep.equal([[at(1), at(2), at(6), at(7)].map((ms) => ms / 1000), [1, 4, 0.5, 0.5]])
    expect(wordsOf(page)).to.contain(
      'The last price is 0.500 × of the first one, at 2026-11-28 10:06:00 UTC. The highest was 4.00 ×, at 2026-11-28 10:02:00 UTC.',
    )
  })

  it('ends a minute that is not over with the newest block', () => {
    const page = pageOf({ blockAtMs: at(5) + 20_000 })
    expect(dataOf(page, 'line')[0].at(-1)).to.equal((at(5) + 20_000) / 1000)
    expect(dataOf(page, 'line')[0]).to.have.length(3)
  })

  it('pins the chats, the bursts and the pool that are on the line', () => {
    const namers = [0.5, 1, 7, 7.5].map((minute) => ({ chat: '@a', atMs: at(minute), posts: 1 }))
    const bursts = [{ token: 'x', atMs: at(2), inflow: 1, text: 'a burst', ret: 0.5, isPulled: true }]
    const page = pageOf({ namers, bursts, prices: { ...prices, poolFromMs: at(5) } })
    expect(dataOf(page, 'pins')).to.deep.equal([
      { at: at(1) / 1000, name: '2', kind: 'call' },
      { at: at(7) / 1000, name: '3', kind: 'call' },
      { at: at(2) / 1000, name: '', kind: 'burst' },
      { at: at(5) / 1000, name: 'pool', kind: 'pool' },
    ])
    expect(wordsOf(page)).to.contain('the pool replaced the curve').and.to.contain('a burst, liquidity pulled+50 %')
    expect(wordsOf(pageOf())).to.not.contain('the pool replaced the curve')
  })

  it('says how the price moved since each chat named the token', () => {
    const namers = [
      { chat: '@early', atMs: at(0.5), posts: 1 },
      { chat: '@top', atMs: at(3), posts: 2 },
      { chat: null, atMs: at(6), posts: 1 },
    ]
    const rows = [
      ...pageOf({ namers }).matchAll(/<tr><td>(\d)<\/td><th scope="row">([^<]*)<.*?(\S+|[-+]\d+ %)<\/td><\/tr>/g),
    ]
    expect(rows.map(([, pin, chat, move]) => `${pin} ${chat} ${move?.replace(/.*>/, '')}`)).to.deep.equal([
      '1 @early –',
      '2 @top -88 %',
      '3 private chat +0 %',
    ])
  })

  it('says what is missing', () => {
    expect(wordsOf(pageOf({ prices: null }))).to.contain('The token had no trade.')
    expect(wordsOf(pageOf({ prices: { ...prices, points: [] } }))).to.contain('The token had no trade.')
    expect(wordsOf(pageOf({ prices: { ...prices, areTradesMissing: true } }))).to.contain(
      'Trades of this time are missing',
    )
    expect(wordsOf(pageOf())).to.not.contain('are missing')
    expect(wordsOf(pageOf())).to.contain('None in the last 48 hours.')
  })

  it('shows a name as what it is, and never as a tag', () => {
    const page = pageOf({ prices: { ...prices, name: '<script>"x"' } })
    expect(page).to.contain('<q>&lt;script&gt;&quot;x&quot;</q>').and.to.not.contain('<script>"x"')
    expect(wordsOf(page)).to.contain('Anyone can give any name.')
    expect(wordsOf(pageOf({ prices: { ...prices, name: null } }))).to.not.contain('Its launch named it')
  })

  it('has the newest sixty prices as a table, and says how many there are', () => {
    const points = Array.from({ length: 61 }, (_, index) => ({ minuteAtMs: at(index), px: index + 1 }))
    const page = pageOf({ prices: { ...prices, points }, blockAtMs: at(70) })
    expect(page.match(/<tr><td><time/g)).to.have.length(60)
    expect(wordsOf(page)).to.contain('The newest 60 of 61 minutes with trades.')
    expect(wordsOf(pageOf())).to.not.contain('minutes with trades.')
  })

  it('says how old its data is, and that it is live to the operator', () => {
    expect(wordsOf(pageOf())).to.contain('15 minutes behind. Data as of 10:08:00 UTC, newest block 10:07:00 UTC.')
    expect(wordsOf(pageOf({}, true)))
      .to.contain('the newest data')
      .and.to.not.contain('15 minutes behind.')
  })
})
