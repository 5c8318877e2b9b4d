import { expect } from 'chai'
import type { ChainInOverview, Overview } from '../../../api/front/overview.ts'
import type { FrontBurst, FrontCall, FrontNamer } from '../../../api/front/parts.ts'
import { createTokens } from '../../../api/front/tokens.ts'
import type { Cut, StageCut } from '../../../projections/cuts.ts'
import { fixedCut } from '../../support/fixed-queries.ts'

const burstOf = (token: string): FrontBurst => ({ token, atMs: 1, inflow: 1, text: '', ret: null, isPulled: false })
const callsCut: Cut = { atMs: fixedCut.atMs, stages: {} }
const namer: FrontNamer = { chat: '@a', atMs: 5, posts: 1 }

describe('the tokens that have a page', () => {
  let asked: string[] = []
  let overview: Overview
  /** Ends the query for the prices of a token. */
  let answerPrices = new Map<string, (failure?: Error) => void>()

  const part = (wireName: string): ChainInOverview['part'] => ({
    ...{ wireName, coin: 'ETH', endsAt: 'later' },
    pricesOf: (cut: StageCut, token: string) => {
      asked.push(`${wireName} ${token} at ${cut.atMs}`)
      return new Promise((resolve, reject) =>
        answerPrices.set(token, (failure) => (failure === undefined ? resolve(null) : reject(failure))),
      )
    },
  })
  const chainOf = (wireName: string, tokens: readonly string[], inColumn: readonly string[] = []): ChainInOverview => {
    const column = inColumn.map((token) => ({ token, atMs: 1, facts: [], fill: null }))
    const shown = { bursts: tokens.map(burstOf), columns: [{ title: 'New', says: 'All.', tokens: column }] }
    return { part: part(wireName), cut: fixedCut, shown }
  }
  const callOf = (token: string, chain: string | null): FrontCall => ({
    ...{ token, chain, atMs: 1, chats: [], privateChats: 1, move: null },
  })
  const calls = { stages: [], answer: async () => ({ board: null, calls: [] }), namersOf: async () => [namer] }
  const tokensWith = (more: Partial<Parameters<typeof createTokens>[0]> = {}) =>
    createTokens({ overview: async () => overview, calls, keepMs: 60_000, ...more })
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  beforeEach(() => {
    asked = []
    answerPrices = new Map()
    const named = [callOf('called', 'b'), callOf('nowhere', null)]
    overview = {
      ...{ atMs: 1_000_000, callsCut, calls: { board: null, calls: named } },
      chains: [chainOf('a', ['burst'], ['new']), chainOf('b', ['other'])],
    }
  })

  for (const [token, chain] of Object.entries({ burst: 'a', new: 'a', other: 'b', called: 'b' }))
    it(`are those that the overview names, such as ${token}, at the time of the overview`, async () => {
      const found = tokensWith().find(token)
      await turn()
      answerPrices.get(token)?.()
      const shown = await found
      expect(shown).to.deep.include({ token, atMs: 1_000_000, blockAtMs: fixedCut.blockAtMs, prices: null })
      expect(shown).to.have.nested.property('chain.wireName', chain)
      expect(shown).to.deep.include({ namers: [namer] })
      expect(asked).to.deep.equal([`${chain} ${token} at ${fixedCut.atMs}`])
    })

  for (const token of ['nowhere', 'unheard', ''])
    it(`are no others, such as "${token}", and nothing is asked about them`, async () => {
      expect(await tokensWith().find(token)).to.equal('unknown')
      expect(asked).to.deep.equal([])
    })

  it('are none of a chain of which nothing is known', async () => {
    overview = { ...overview, chains: [{ ...chainOf('a', ['burst']), cut: null, shown: null }] }
    expect(await tokensWith().find('burst')).to.equal('unknown')
  })

  it('have no chats if there are none, or if nothing was known of them', async () => {
    for (const [more, cut] of [
      [{ calls: null }, callsCut],
      [{}, null],
    ] as const) {
      overview = { ...overview, callsCut: cut }
      const found = tokensWith(more).find('burst')
      await turn()
      answerPrices.get('burst')?.()
      expect(await found).to.deep.include({ namers: [] })
    }
  })

  it('are computed once for all viewers, and again when what was computed is too old', async () => {
    const tokens = tokensWith()
    const first = [tokens.find('burst'), tokens.find('burst')]
    await turn()
    answerPrices.get('burst')?.()
    const [one, two] = await Promise.all(first)
    expect(one).to.equal(two)
    overview = { ...overview, atMs: 1_059_999 }
    expect(await tokens.find('burst')).to.equal(one)
    expect(asked).to.have.length(1)
    overview = { ...overview, atMs: 1_060_000 }
    const later = tokens.find('burst')
    await turn()
    answerPrices.get('burst')?.()
    expect(await later).to.deep.include({ atMs: 1_060_000 })
    expect(asked).to.have.length(2)
  })

  it('are computed one after the other, and twenty at most wait', async () => {
    const names = Array.from({ length: 22 }, (_, index) => `token ${index}`)
    overview = { ...overview, chains: [chainOf('a', names)] }
    const tokens = tokensWith()
    const found = names.slice(0, 20).map((name) => tokens.find(name))
    await turn()
    expect(asked).to.have.length(1)
    expect(await tokens.find('token 20')).to.equal('busy')
    answerPrices.get('token 0')?.()
    await found[0]
    await turn()
    expect(asked).to.have.length(2)
    const last = tokens.find('token 21')
    for (const name of [...names.slice(1, 20), 'token 21']) {
      await turn()
      answerPrices.get(name)?.()
    }
    await Promise.all([...found, last])
    expect(asked).to.have.length(21)
  })

  it('are computed again after a failure, which holds nobody else up', async () => {
    const tokens = tokensWith()
    const failed = tokens.find('burst').catch((error: Error) => error.message)
    const other = tokens.find('other')
    await turn()
    answerPrices.get('burst')?.(new Error('no table'))
    expect(await failed).to.equal('no table')
    await turn()
    answerPrices.get('other')?.()
    expect(await other).to.deep.include({ token: 'other' })
    const again = tokens.find('burst')
    await turn()
    answerPrices.get('burst')?.()
    expect(await again).to.deep.include({ token: 'burst' })
  })
})
