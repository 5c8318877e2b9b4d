import { expect } from 'chai'
import type { ChainInOverview } from '../../../api/front/overview.ts'
import { type FrontPage, renderFrontPage } from '../../../api/front/page.ts'
import type { FrontBurst, FrontOfCalls } from '../../../api/front/parts.ts'
import { fixedCut } from '../../support/fixed-queries.ts'

const burst = (changes: Partial<FrontBurst> = {}): FrontBurst => ({
  ...{
    token: '0xabcdef0123456789',
    atMs: fixedCut.blockAtMs - 1,
    inflow: 2,
    text: 'a burst',
    ret: null,
    isPulled: false,
  },
  ...changes,
})
const chainOf = (bursts: readonly FrontBurst[]): ChainInOverview => ({
  part: { wireName: 'chainA', coin: 'ETH', endsAt: 'later', pricesOf: async () => null },
  cut: fixedCut,
  shown: { columns: [{ title: 'New', says: 'All.', tokens: [] }], bursts },
})
const pageOf = (chains: readonly ChainInOverview[], calls: FrontOfCalls | null = null, more: Partial<FrontPage> = {}) =>
  renderFrontPage(
    {
      ...{
        overview: { atMs: fixedCut.atMs, chains, calls, callsCut: null },
        ages: [],
        priced: [],
        publicBaseUrl: 'https://data.example',
      },
      ...{ chain: null, isLive: false, ...more },
    },
    '',
  )

describe('what the front page says', () => {
  it('draws each burst by its end, and names it in words', () => {
    const ends = [burst({ ret: 0.5 }), burst({ ret: -0.25 }), burst({ ret: -1, isPulled: true }), burst()]
    const dots = [...pageOf([chainOf(ends)]).matchAll(/<circle class="(\w+)"[^>]*><title>([^<]*)</g)]
    expect(dots.map(([, kind, text]) => `${kind} ${text}`)).to.deep.equal([
      'won 0xabcd…6789 a burst; ended at +50 %',
      'lost 0xabcd…6789 a burst; ended at -25 %',
      'pulled 0xabcd…6789 a burst; its liquidity was pulled',
      'open 0xabcd…6789 a burst; not scored yet',
    ])
  })

  it('draws finite coordinates, however many bursts there are and however equal they are', () => {
    for (const bursts of [[], [burst()], [burst(), burst()], [burst({ inflow: 0.001 }), burst({ inflow: 900 })]])
      expect(pageOf([chainOf(bursts)])).to.not.match(/NaN|Infinity/)
  })

  it('says so if there is nothing to list', () => {
    const page = pageOf([chainOf([])], { board: null, calls: [] })
    for (const text of [
      'None at that time.',
      'No burst of the last 24 hours is scored yet.',
      'No board was made yet.',
      'None in the two hours before.',
      'chainA: 0 bursts',
    ])
      expect(page).to.contain(text)
    expect(pageOf([chainOf([])])).to.not.contain('Tokens named in chats')
  })

  it('says that the market is simulated, and shows the age and the gaps of each source', () => {
    const ages = [
      { name: 'chainA', atMs: fixedCut.blockAtMs, isSimulated: true, gaps: 3 },
      { name: 'chats', atMs: null, isSimulated: false, gaps: null },
    ]
    const page = pageOf([chainOf([])], null, { ages })
    expect(page).to.contain('Simulated market.').and.to.contain('none yet').and.to.contain('<td class="number">3</td>')
    expect(pageOf([chainOf([])])).to.not.contain('Simulated market.')
  })

  it('counts private chats, marks a token that a second chat named, and names a chain or none', () => {
    const call = { token: 't', chain: null, atMs: 1, chats: [], privateChats: 1, move: null }
    const page = pageOf([chainOf([])], {
      board: null,
      calls: [call, { ...call, chats: ['@a'], privateChats: 2, move: -0.5, chain: 'chainA' }],
    })
    expect(page).to.contain('no contract found</span> named by a private chat')
    expect(page).to.contain('3 chats</span> named by @a, 2 private chats, -50 % since')
  })
})
