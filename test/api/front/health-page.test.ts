import { expect } from 'chai'
import { createHealthPage } from '../../../api/front/health-page.ts'
import { hourMs, minuteMs } from '../../../schemas/units.ts'

const nowMs = Math.floor(1_790_000_010_000 / hourMs) * hourMs
const agoMin = (minutes: number) => nowMs - minutes * minuteMs

const gaps24h = { open: 1, givenUp: 2, late: 3, undetectable: { markets: 4, what: 'Counted: curves.' } }
const healthy = {
  status: 'ok',
  chains: { chainA: { status: 'ok', dataAgeSec: 2, block: 77, gaps24h }, chats: { status: 'ok', dataAgeSec: 3 } },
}
const hour = (changes: object) => ({
  ...{ hour: agoMin(120), silent: [], late: [], unpriced: [], tradeGaps: null, chatGaps: null },
  ...changes,
})
const coverageOf = (hours: readonly object[]) => ({
  generatedAt: agoMin(15),
  chains: { chainA: { knownSince: agoMin(600), rules: [{ version: 'a14', since: agoMin(600) }], hours } },
})
const correction = (changes: object = {}) => ({
  ...{ chain: 'chainA', type: 'Burst', token: `0x${'ab'.repeat(20)}`, kind: 'withdrawn', reason: 'owner_check' },
  ...{ at: agoMin(60), knownAt: agoMin(50), changes: [{ field: 'buys' }, { field: 'sells' }] },
  ...changes,
})

describe('the page about data health', () => {
  const pageOf = (given: Partial<Readonly<{ health: object; coverage: object; restatements: object }>>) =>
    createHealthPage(
      {
        health: async () => given.health ?? healthy,
        coverage: given.coverage && (async () => given.coverage as object),
        restatements: given.restatements && (async () => given.restatements as object),
      },
      () => nowMs,
    ).html()

  it('has the state, the newest data and the gaps of each source', async () => {
    const page = await pageOf({})
    expect(page).to.contain('All sources are fresh.')
    expect(page).to.contain('1 open, 2 stay missing, 3 read too late').and.to.contain('4 markets. Counted: curves.')
    expect(page).to.contain(`datetime="${new Date(nowMs - 2000).toISOString()}"`)

    expect(page).to.not.contain('What was missing').and.to.not.contain('Corrected rows')
  })

  for (const [status, text] of [
    ['stale', 'more than two minutes old'],
    ['warming_up', 'has no data yet'],
  ] as const)
    it(`says what ${status} means for buyers`, async () => {
      const chains = { chainA: { status, dataAgeSec: status === 'stale' ? 300 : null } }
      const page = await pageOf({ health: { status, notice: 'SIMULATED', chains } })
      expect(page).to.contain(text).and.to.contain('charge nothing').and.to.contain('SIMULATED')
      expect(page).to.contain(status === 'stale' ? `<td>stale</td>` : '<td>none yet</td>')
    })

  it('lists what was missing, the newest first, in words', async () => {
    const span = (from: number, to: number) => ({ from: agoMin(from), to: agoMin(to) })
    const page = await pageOf({
      coverage: coverageOf([
        hour({ silent: [span(110, 100)], late: [span(111, 101)], unpriced: [span(112, 102)] }),
        hour({
          tradeGaps: { open: 1, givenUp: 2, late: 9 },
          chatGaps: [
            { ...span(90, 80), chats: 1, reason: 'refused' },
            { ...span(95, 85), chats: 2, reason: 'new_reason' },
          ],
        }),
        hour({ tradeGaps: { open: 0, givenUp: 0, late: 9 } }),
      ]),
    })
    const texts = [...page.matchAll(/<td>([^<]*)<\/td><\/tr>/g)].map(([, text]) => text).slice(-6)
    expect(texts).to.deep.equal([
      'Posts of 1 chat: the chat denied access.',
      'Posts of 2 chats: new_reason.',
      'No data came. It is read later, as far as it is there.',
      'Known more than two minutes late. The stream and the desk do not have it.',
      'The price of the coin was unknown or older than ten minutes.',
      '3 series of trades of single tokens are missing.',
    ])
    expect(page).to.contain('rules a14 since')
  })

  it('joins what lasted over several hours, and nothing else', async () => {
    const late = (from: number, to: number) => hour({ late: [{ from: agoMin(from), to: agoMin(to) }] })
    const page = await pageOf({ coverage: coverageOf([late(190, 180), late(180, 120), late(110, 100)]) })
    const rows = [...page.matchAll(/<tr><th scope="row">chainA<\/th><td>.*?<\/tr>/g)]
      .map(([row]) =>
        [...row.matchAll(/datetime="([^"]*)"/g)].map(([, at = '']) => (nowMs - Date.parse(at)) / minuteMs),
      )
      .filter(({ length }) => length === 2)
    expect(rows).to.deep.equal([
      [110, 100],
      [190, 120],
    ])
  })

  it('says so if nothing was missing or corrected, and how many entries it leaves out', async () => {
    const restatements = { missingUntil: null, restatements: [] }
    const page = await pageOf({ coverage: coverageOf([hour({})]), restatements })
    expect(page).to.contain('Nothing that the service knows of.').and.to.contain('No published row was corrected')
    const silent = Array.from({ length: 70 }, (_, index) => ({
      from: agoMin(900 - 2 * index),
      to: agoMin(899 - 2 * index),
    }))
    expect(await pageOf({ coverage: coverageOf([hour({ silent })]) })).to.contain('10 older entries')
  })

  it('lists the newest 40 corrections with their fields, as text', async () => {
    const many = Array.from({ length: 50 }, (_, index) => correction({ type: `<b>${index}` }))
    const page = await pageOf({
      restatements: { missingUntil: agoMin(500), restatements: [...many, correction({ token: null, changes: [] })] },
    })
    expect(page).to.contain('withdrawn, owner check').and.to.contain('buys, sells').and.to.contain('not all listed')
    expect(page).to.contain('&lt;b&gt;49').and.to.contain('&lt;b&gt;11').and.to.not.contain('&lt;b&gt;10 ')
    expect(page).to.not.contain('<b>')
  })

  it('is rendered once in 20 seconds, and again after a failure', async () => {
    let [asked, atMs, isFailing] = [0, nowMs, true]
    const health = async () => {
      asked += 1
      if (isFailing) throw new RangeError('a read fails')
      return healthy
    }
    const page = createHealthPage({ health }, () => atMs)
    await page.html().then(
      () => expect.fail('the page hides a failure'),
      (error) => expect(error).to.be.instanceOf(RangeError),
    )
    isFailing = false
    for (let turn = 0; turn < 3; turn++) await page.html()
    expect(asked).to.equal(2)
    atMs += 20_000
    await page.html()
    expect(asked).to.equal(3)
  })
})
