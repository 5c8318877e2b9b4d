/** The tests that every `ChatReader` must pass, over a simulated platform. */
import { expect } from 'chai'
import type { ChatReader } from '../../ingest/chats/reader.ts'
import { emptyLog, type FollowedLog, type Following, follow, toldBy } from '../ingest/chats/follow.ts'

/** One chat of a simulated platform, and the reader of this chat. */
export type ReaderOverDouble = Readonly<{
  openReader(nowMs: () => number): Promise<ChatReader>
  /** Returns the number of the post. */
  post(text: string): number
  edit(post: number, text: string): void
  /** Null if the platform shows no deletions. */
  remove: ((post: number) => void) | null
  /** Makes the platform forget the changes so far, but not the posts. */
  forgetChanges(): void
  /**
   * A platform that is `down` cannot be reached. A `silent` platform takes requests, but answers none. A
   * `hidden` platform refuses to show the chat.
   */
  become(state: 'up' | 'down' | 'silent' | 'hidden'): void
  requestCount(): number
  warnings: readonly string[]
  close(): Promise<void>
}>

type Named = Readonly<{
  name: string
  open(): Promise<ReaderOverDouble>
  /** The maximum number of posts that the reader reads after the last known one. */
  postsBackMax: number
}>

export function describeChatReader({ name, open, postsBackMax }: Named): void {
  describe(`the reader of chats: ${name}`, () => {
    let platform: ReaderOverDouble
    let log: FollowedLog
    let following: Following | null
    let skewMs: number

    beforeEach(async () => {
      ;[log, following, skewMs] = [emptyLog(), null, 0]
      platform = await open()
      platform.post('before the start')
    })
    afterEach(async () => {
      platform.become('up')
      await following?.stop()
      await platform.close()
    })

    const nowMs = () => Date.now() + skewMs
    const start = (options: Readonly<{ beforeKept?: () => void }> = {}): Following => {
      following = follow(log, () => platform.openReader(nowMs), { nowMs, ...options })
      return following
    }
    /**
     * Returns the facts without the newest post before the first start, because only some readers report it.
     */
    const told = () => toldBy(log).filter((fact) => !('text' in fact && fact.text === 'before the start'))
    const said = () => told().map((fact) => `${fact.type}${'text' in fact ? ` ${fact.text}` : ''}`)
    const postsTold = () => told().flatMap((fact) => (fact.type === 'PostSeen' && 'post' in fact ? [fact.post] : []))
    const toldCount = (count: number) => () => told().length >= count
    /**
     * Starts the reader, and resolves after it has delivered five ranges of facts. By then the first requests
     * are answered.
     */
    const startFollowing = async (): Promise<Following> => {
      const started = start()
      await started.until(() => log.ranges >= 5)
      return started
    }

    it('tells posts in order, each once, and none that is older than the newest one at the start', async () => {
      const { until } = await startFollowing()
      const posts = ['one', 'two', 'three'].map((text) => platform.post(text))
      await until(toldCount(3))
      const requests = platform.requestCount()
      await until(() => platform.requestCount() > requests + 1)
      expect(said()).to.deep.equal(['PostSeen one', 'PostSeen two', 'PostSeen three'])
      expect(postsTold()).to.deep.equal(posts)
    })

    it('tells an edit once, and a deletion if the platform shows it', async () => {
      const { until } = await startFollowing()
      const [first, second] = [platform.post('one'), platform.post('two')]
      await until(toldCount(2))
      platform.edit(first, 'one, edited')
      await until(toldCount(3))
      platform.remove?.(second)
      await until(toldCount(platform.remove ? 4 : 3))
      const requests = platform.requestCount()
      await until(() => platform.requestCount() > requests + 1)
      const deletions = platform.remove ? ['PostsDeleted'] : []
      expect(said()).to.deep.equal(['PostSeen one', 'PostSeen two', 'PostEdited one, edited', ...deletions])
    })

    /* The reader is stopped after the post `one`, and started again after the post `three`. */
    it('goes on behind the log after a restart, without loss or repetition', async () => {
      const first = await startFollowing()
      const posts = [platform.post('one')]
      await first.until(toldCount(1))
      await first.stop()
      posts.push(platform.post('two'), platform.post('three'))
      const { until } = start()
      await until(toldCount(3))
      expect(postsTold()).to.deep.equal(posts)
      expect(said()).to.have.length(3)
    })

    it('repeats nothing in the log after a crash between the log and the store of its position', async () => {
      await (await startFollowing()).stop()
      const posts = [platform.post('one'), platform.post('two')]
      const crashing = start({
        beforeKept() {
          if (told().length >= 2) throw new Error('crashed')
        },
      })
      const failure = await crashing.until(() => false).catch((error: unknown) => error)
      expect(failure).to.have.property('message', 'crashed')
      posts.push(platform.post('three'))
      const { until } = start()
      await until(toldCount(3))
      expect(postsTold()).to.deep.equal(posts)
      expect(said()).to.have.length(3)
    })

    it('tells a gap, and the newest posts as late ones, if its position is too old', async () => {
      const first = await startFollowing()
      platform.post('known')
      await first.until(toldCount(1))
      await first.stop()
      const posts = Array.from({ length: postsBackMax + 30 }, (_, index) => platform.post(`post ${index}`))
      platform.forgetChanges()
      const { until } = start()
      await until(toldCount(2 + postsBackMax))
      const [, gap, ...late] = told()
      expect(gap).to.include({ type: 'ChatGapFound', reason: 'too_long' })
      expect(late.map((fact) => 'post' in fact && fact.post)).to.deep.equal(posts.slice(-postsBackMax))
      expect(late.every((fact) => 'isLate' in fact && fact.isLate)).to.equal(true)
    })

    it('reads on at once after the clock was set back by an hour', async () => {
      skewMs = 3_600_000
      const { until } = await startFollowing()
      platform.post('before')
      await until(toldCount(1))
      const [setBackAtMs, requests] = [performance.now(), platform.requestCount()]
      skewMs = 0
      await until(() => platform.requestCount() > requests + 1)
      platform.post('after')
      await until(toldCount(2))
      expect(said()).to.deep.equal(['PostSeen before', 'PostSeen after'])
      expect(performance.now() - setBackAtMs).to.be.below(10_000)
    })

    it('stops while it waits for the next change', async () => {
      const { stop } = await startFollowing()
      await stop()
      following = null
    })

    it('stops while a request has no answer', async () => {
      const { until, stop } = await startFollowing()
      platform.become('silent')
      const requests = platform.requestCount()
      await until(() => platform.requestCount() > requests)
      await stop()
      following = null
    })

    it('tells nothing while the platform is down, then a gap and what it missed, as late posts', async () => {
      const { until } = await startFollowing()
      platform.become('down')
      await until(() => platform.warnings.length > 0)
      const { ranges } = log
      skewMs += 3_600_000
      platform.post('missed')
      const warned = platform.warnings.length
      await until(() => platform.warnings.length > warned)
      expect(log.ranges - ranges, 'ranges since the outage').to.be.below(3)
      platform.become('up')
      await until(() => said().includes('PostSeen missed'))
      expect(told()[0]).to.include({ type: 'ChatGapFound', reason: 'offline' })
      expect(told()[1]).to.include({ text: 'missed', isLate: true })
    })

    it('reports a chat that is not shown once, and asks for it again', async () => {
      const { until } = await startFollowing()
      platform.become('hidden')
      await until(() => platform.warnings.length > 0)
      const requests = platform.requestCount()
      await until(() => platform.requestCount() > requests + 2)
      expect(platform.warnings).to.have.length(1)
      platform.become('up')
      platform.post('back')
      await until(() => said().some((one) => one.endsWith('back')))
    })
  })
}
