/** Tests the reader of public pages while one page fails and another one can be read. */
import { expect } from 'chai'
import { createFetchPage } from '../../../../ingest/chats/preview/fetch-page.ts'
import { createPreviewReader } from '../../../../ingest/chats/preview/reader.ts'
import { emptyLog, type FollowedLog, type Following, follow, toldBy } from '../follow.ts'
import { type PagePost, type Pages, pageOf, servePages } from './page.ts'

const hourMs = 3_600_000

describe('one public page that fails while another one can be read', () => {
  const names = ['alpha', 'beta']
  let pages: Pages
  let posts: Record<string, PagePost[]>
  let status: number
  let requests: string[]
  let log: FollowedLog
  let following: Following | null
  let skewMs: number

  beforeEach(async () => {
    posts = Object.fromEntries(names.map((name) => [name, [{ id: 1, body: 'post 1', atSec: 1 }]]))
    ;[status, requests, log, following, skewMs] = [200, [], emptyLog(), null, 0]
    pages = await servePages((request, response) => {
      const name = request.url?.includes('alpha') ? 'alpha' : 'beta'
      requests.push(name)
      const code = name === 'alpha' ? status : 200
      response.writeHead(code).end(code === 200 ? pageOf(name, posts[name] ?? []) : '')
    })
  })
  afterEach(async () => {
    await following?.stop()
    pages.close()
  })

  const nowMs = () => Date.now() + skewMs
  const start = (): Following => {
    const fetchPage = createFetchPage(pages)
    const times = { pollMs: 10, politeMs: 1, pauseMs: 10, emptyRangeEveryMs: 5, refusedMs: 10 }
    const reader = createPreviewReader({ fetchPage, names, nowMs, logger: { warn: () => {} }, times })
    following = follow(log, async () => reader, { nowMs })
    return following
  }
  /** Returns the gaps of the page. The other page has gaps too, because the clock of the test leaps. */
  const gaps = () => toldBy(log).flatMap((fact) => ('reason' in fact && fact.chat === '@alpha' ? [fact] : []))
  /** Lets both pages be requested again. */
  const rounds = async ({ until }: Following) => {
    for (const name of names) {
      const count = requests.length
      await until(() => requests.slice(count).filter((one) => one === name).length >= 2)
    }
  }

  for (const isRestarted of [false, true])
    it(`has a gap while it fails, and what was missed is late${isRestarted ? ', also across a restart' : ''}`, async () => {
      let reading = start()
      await reading.until(() => log.facts.length >= 2)
      await rounds(reading)
      const failedAtMs = nowMs()
      status = 503
      for (let hour = 1; hour <= 3; hour++) {
        skewMs += hourMs
        await reading.until(() => gaps().length >= hour)
        await rounds(reading)
      }
      expect(gaps().every(({ reason }) => reason === 'offline')).to.equal(true)
      posts.alpha?.push({ id: 2, body: 'post 2', atSec: 2 })
      if (isRestarted) {
        await reading.stop()
        reading = start()
        await rounds(reading)
      }
      status = 200
      await reading.until(() => toldBy(log).some((fact) => 'text' in fact && fact.text === 'post 2'))
      const [last] = toldBy(log).slice(-1)
      expect(last).to.include({ type: 'PostSeen', chat: '@alpha', text: 'post 2', isLate: true })
      // The parts of the gap follow each other without a hole.
      const spans = gaps()
      for (const [at, { fromAtMs }] of spans.slice(1).entries()) expect(fromAtMs).to.equal(spans[at]?.toAtMs)
      expect(spans[0]?.fromAtMs).to.be.within(failedAtMs - 10_000, failedAtMs + 10_000)
      expect(spans.at(-1)?.toAtMs).to.be.within(failedAtMs + 3 * hourMs, nowMs())
    })
})
