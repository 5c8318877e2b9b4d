/** Tests the reader of public pages over HTTP, on a local server. */
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { createFetchPage } from '../../../../ingest/chats/preview/fetch-page.ts'
import { createPreviewReader } from '../../../../ingest/chats/preview/reader.ts'
import { emptyLog, type FollowedLog, type Following, follow, toldBy } from '../follow.ts'
import { type PagePost, type Pages, pageOf, servePages } from './page.ts'

const perPage = 20

describe('following public pages', () => {
  let pages: Pages
  let posts: PagePost[]
  let status: number
  let requests: string[]
  let log: FollowedLog
  let following: Following | null
  let warnings: string[]
  let skewMs: number
  /** A post that is only on the next requested page of newest posts, and not on later pages. */
  let showsOnce: PagePost | null

  beforeEach(async () => {
    ;[posts, status, requests, log, following, warnings, skewMs] = [[], 200, [], emptyLog(), null, [], 0]
    showsOnce = null
    pages = await servePages((request, response) => {
      requests.push(request.url ?? '')
      const before = Number(/before=(\d+)/.exec(request.url ?? '')?.[1] ?? Number.POSITIVE_INFINITY)
      const shown = [...posts, ...(showsOnce ? [showsOnce] : [])].filter(({ id }) => id < before).slice(-perPage)
      showsOnce = null
      response.writeHead(status, status === 302 ? { location: '/calls' } : {})
      response.end(status === 200 ? pageOf('calls', shown) : '')
    })
  })
  afterEach(async () => {
    await following?.stop()
    pages.close()
  })

  const start = (rest: Readonly<{ refusedMs?: number }> = { refusedMs: 10 }): Following => {
    const nowMs = () => Date.now() + skewMs
    const logger = { warn: (_: object | string, text?: string) => void warnings.push(text ?? String(_)) }
    const reader = createPreviewReader({
      ...{ fetchPage: createFetchPage(pages), names: ['calls'], nowMs },
      logger: logger as never,
      times: { pollMs: 10, politeMs: 1, pauseMs: 10, emptyRangeEveryMs: 5, ...rest },
    })
    following = follow(log, async () => reader, { nowMs })
    return following
  }
  const say = (id: number, body = `post ${id}`) => void posts.push({ id, body, atSec: id })
  const factCount = (count: number) => () => log.facts.length >= count
  const saidIn = () => toldBy(log).map((fact) => ('text' in fact ? `${fact.type} ${fact.text}` : fact.type))

  it('begins with the newest post, and tells of what follows and of edits, each once', async () => {
    for (let id = 1; id <= 5; id++) say(id)
    const { until } = start()
    await until(factCount(1))
    say(6)
    await until(factCount(2))
    posts[4] = { id: 5, body: 'post 5, edited', atSec: 5 }
    await until(factCount(3))
    const rounds = requests.length + 3
    await until(() => requests.length >= rounds)
    expect(saidIn()).to.deep.equal(['PostSeen post 5', 'PostSeen post 6', 'PostEdited post 5, edited'])
  })

  it('tells nothing of a page with a post that is more than ten minutes ahead of our clock, and reads it again', async () => {
    say(1)
    const { until } = start()
    await until(factCount(1))
    const inSec = (sec: number) => Math.floor(Date.now() / 1000) + sec
    posts.push({ id: 2, body: 'post 2', atSec: inSec(590) }, { id: 3, body: 'post 3', atSec: inSec(900) })
    await until(() => warnings.length > 1)
    expect(saidIn()).to.deep.equal(['PostSeen post 1'])
    posts[2] = { id: 3, body: 'post 3', atSec: inSec(0) }
    await until(factCount(3))
    expect(saidIn().slice(1)).to.deep.equal(['PostSeen post 2', 'PostSeen post 3'])
  })

  it('tells later of a post that one page left out, marked late', async () => {
    for (let id = 1; id <= 2; id++) say(id)
    const { until } = start()
    await until(factCount(1))
    say(4)
    await until(factCount(2))
    posts.splice(2, 0, { id: 3, body: 'post 3', atSec: 3 })
    await until(factCount(3))
    expect(toldBy(log)[2]).to.include({ type: 'PostSeen', text: 'post 3', isLate: true })
    expect(saidIn()).to.deep.equal(['PostSeen post 2', 'PostSeen post 4', 'PostSeen post 3'])
  })

  it('tells nothing of a page whose posts are not in the order of their times, and reads it again', async () => {
    posts.push({ id: 1, body: 'post 1', atSec: 5_000 })
    const { until } = start()
    await until(factCount(1))
    posts.push({ id: 2, body: 'post 2', atSec: 5_001 }, { id: 3, body: 'post 3', atSec: 0 })
    await until(() => warnings.length > 1)
    expect(saidIn()).to.deep.equal(['PostSeen post 1'])
    posts[2] = { id: 3, body: 'post 3', atSec: 5_002 }
    await until(factCount(3))
    expect(saidIn().slice(1)).to.deep.equal(['PostSeen post 2', 'PostSeen post 3'])
  })

  it('tells nothing of a page that shows a post far ahead of the last known one only once', async () => {
    say(1)
    const { until } = start()
    await until(factCount(1))
    showsOnce = { id: 2 ** 31 - 1, body: 'a wrong number', atSec: 9 }
    await until(() => warnings.length > 0)
    say(2)
    await until(factCount(2))
    expect(toldBy(log)[1]).to.include({ type: 'PostSeen', text: 'post 2', isLate: false })
  })

  it('begins a new chat at a post far from its first one only when the page repeats it', async () => {
    say(1_001)
    showsOnce = { id: 2 ** 31 - 1, body: 'a wrong number', atSec: 1_002 }
    const { until } = start()
    await until(factCount(1))
    say(1_002)
    await until(factCount(2))
    expect(saidIn()).to.deep.equal(['PostSeen post 1001', 'PostSeen post 1002'])
  })

  it('believes a post far ahead of the last known one when the page is read again and repeats it', async () => {
    say(1)
    const { until } = start()
    await until(factCount(1))
    say(1_002)
    await until(factCount(2))
    expect(warnings).to.have.length(1)
    say(2_002)
    await until(factCount(3))
    expect(warnings).to.have.length(1)
  })

  it('goes on behind the log after a restart, page by page back to what is known', async () => {
    say(1)
    const first = start()
    await first.until(factCount(1))
    await first.stop()
    for (let id = 2; id <= 50; id++) say(id)
    const { until } = start()
    await until(factCount(50))
    expect(toldBy(log).map((fact) => 'post' in fact && fact.post)).to.deep.equal(
      Array.from({ length: 50 }, (_, at) => at + 1),
    )
  })

  it('tells of a gap where more was said than its pages reach back', async () => {
    say(1)
    const first = start()
    await first.until(factCount(1))
    await first.stop()
    for (let id = 2; id <= 130; id++) say(id)
    const { until } = start()
    await until(factCount(102))
    expect(toldBy(log)[1]).to.include({ type: 'ChatGapFound', reason: 'too_long' })
    expect(toldBy(log)[2]).to.include({ type: 'PostSeen', text: 'post 31', isLate: true })
  })

  it('stands still while the pages cannot be reached, then tells of the gap and marks what was missed', async () => {
    say(1)
    const { until } = start()
    await until(factCount(1))
    status = 503
    await until(() => warnings.length > 0)
    skewMs += 3_600_000
    await setTimeout(50)
    const atMs = log.cursor?.atMs ?? 0
    await setTimeout(50)
    expect(log.cursor?.atMs).to.equal(atMs)
    say(2)
    status = 200
    await until(factCount(3))
    expect(toldBy(log)[1]).to.include({ type: 'ChatGapFound', reason: 'offline' })
    expect(toldBy(log)[2]).to.include({ type: 'PostSeen', text: 'post 2', isLate: true })
  })

  it('asks no more for as long as the platform says', async () => {
    say(1)
    const { until } = start()
    await until(factCount(1))
    status = 429
    await until(() => warnings.length > 0)
    const count = requests.length
    await setTimeout(100)
    expect(requests.length).to.equal(count)
    say(2)
    status = 200
    skewMs += 30_001
    await until(factCount(2))
    expect(saidIn()).to.deep.equal(['PostSeen post 1', 'PostSeen post 2'])
  })

  it('looks again within a minute at a channel that had no page', async () => {
    say(1)
    const { until } = start({})
    await until(factCount(1))
    status = 404
    await until(() => warnings.length > 0)
    say(2)
    status = 200
    skewMs += 60_000
    await until(() => saidIn().includes('PostSeen post 2'))
  })

  it('warns once of a channel without a page, and finds it later', async () => {
    status = 302
    const { until } = start()
    await until(() => requests.length > 3)
    expect(warnings).to.have.length(1)
    say(1)
    status = 200
    await until(factCount(1))
    expect(saidIn()).to.deep.equal(['PostSeen post 1'])
  })

  it('goes on behind a page that is not to be parsed', async () => {
    say(1)
    const { until } = start()
    await until(factCount(1))
    say(2, '<b>'.repeat(5_000))
    while (!warnings.includes('the chat platform could not be read. The reader tries again')) await setTimeout(5)
    posts.pop()
    say(2)
    await until(() => saidIn().some((said) => said.includes('post 2')))
  })
})
