import { expect } from 'chai'
import { type ReadPost, readPost } from '../../../ingest/mentions/read-post.ts'
import { createWaitingPosts, spanMs } from '../../../ingest/mentions/waiting-posts.ts'
import type { PostContent } from '../../../schemas/chats/facts.ts'
import { buildContent, mintOf } from './build-post.ts'

const seenAt = (blockAtMs: number, post: number, content: Partial<PostContent> = {}): ReadPost => {
  const data = {
    ...buildContent({ post, text: mintOf(post), ...content }),
    blockNumber: post,
    blockHash: '0x',
    blockAtMs,
  } as const
  const read = readPost({ type: 'PostSeen', data })
  if (read === null) throw new RangeError('it names no address')
  return read
}
const never = { isKnown: () => false }
const always = { isKnown: () => true }
const numbers = (posts: readonly ReadPost[]) => posts.map(({ content }) => content.post)

describe('posts that wait', () => {
  it('wait ten seconds from when ingest had them, and no longer', () => {
    const waiting = createWaitingPosts()
    waiting.add(seenAt(1_000, 1))
    expect(numbers(waiting.take(never, 10_999))).to.deep.equal([])
    expect(numbers(waiting.take(never, 11_000))).to.deep.equal([1])
    expect(waiting.count()).to.equal(0)
  })

  it('wait no longer than that from when they were posted, or edited', () => {
    const waiting = createWaitingPosts()
    waiting.add(seenAt(9_000, 1, { postedAtMs: 2_000 }))
    expect(numbers(waiting.take(never, 11_999))).to.deep.equal([])
    expect(numbers(waiting.take(never, 12_000))).to.deep.equal([1])
    waiting.add({ ...seenAt(9_000, 2, { postedAtMs: 2_000 }), editedAtMs: 8_000 })
    expect(numbers(waiting.take(never, 17_999))).to.deep.equal([])
    expect(numbers(waiting.take(never, 18_000))).to.deep.equal([2])
  })

  it('that are not known are asked about before the wait is over, and wait for the answer alone', () => {
    const waiting = createWaitingPosts()
    const asked: number[] = []
    let isAsked = false
    const looks = {
      isKnown: ({ content }: ReadPost) => content.post === 3,
      isAsked: ({ content }: ReadPost) => {
        asked.push(content.post)
        return content.post !== 1 || isAsked
      },
    }
    for (const post of [1, 2, 3]) waiting.add(seenAt(0, post))
    expect(numbers(waiting.take(looks, 7_999))).to.deep.equal([3])
    expect(asked).to.deep.equal([])
    expect(numbers(waiting.take(looks, 8_000))).to.deep.equal([])
    expect(asked).to.deep.equal([1, 2])
    expect(numbers(waiting.take(looks, 10_000))).to.deep.equal([2])
    isAsked = true
    expect(numbers(waiting.take(looks, 10_001))).to.deep.equal([1])
  })

  it('are taken at once where they are known, past those that are not', () => {
    const waiting = createWaitingPosts()
    for (const post of [1, 2, 3]) waiting.add(seenAt(0, post))
    expect(numbers(waiting.take({ isKnown: ({ content }) => content.post !== 2 }, 0))).to.deep.equal([1, 3])
    expect(waiting.count()).to.equal(1)
  })

  it('stay behind an earlier one of the same token, of the same post and of the post that they answer', () => {
    const waiting = createWaitingPosts()
    waiting.add(seenAt(0, 1))
    waiting.add(seenAt(0, 2, { text: `${mintOf(1)} ${mintOf(2)}` }))
    waiting.add(seenAt(0, 1, { text: mintOf(7) }))
    waiting.add(seenAt(0, 4, { posterName: 'bot', replyTo: 1, text: mintOf(8) }))
    waiting.add(seenAt(0, 5, { replyTo: 1, text: mintOf(9) }))
    let isFirst = true
    const butTheFirst = () => {
      const isKnown = !isFirst
      isFirst = false
      return isKnown
    }
    expect(numbers(waiting.take({ isKnown: butTheFirst }, 0))).to.deep.equal([5])
    expect(numbers(waiting.take(always, 0))).to.deep.equal([1, 2, 1, 4])
  })

  it('are taken within thirty seconds of each other, two hundred at a time', () => {
    const waiting = createWaitingPosts()
    waiting.add(seenAt(0, 1))
    waiting.add(seenAt(spanMs, 2))
    waiting.add(seenAt(spanMs + 1, 3))
    expect(numbers(waiting.take(always, 0))).to.deep.equal([1, 2])
    expect(numbers(waiting.take(always, 0))).to.deep.equal([3])
    for (let post = 0; post < 201; post++) waiting.add(seenAt(0, post))
    expect(waiting.take(always, 0)).to.have.length(200)
    expect(waiting.count()).to.equal(1)
  })

  it('are a thousand at most: the oldest of more do not wait', () => {
    const waiting = createWaitingPosts()
    for (let post = 1; post <= 1_002; post++) waiting.add(seenAt(0, post))
    expect(numbers(waiting.take(never, 0))).to.deep.equal([1, 2])
    expect(waiting.count()).to.equal(1_000)
  })
})
