import { expect } from 'chai'
import fc from 'fast-check'
import { createChatTracker } from '../../../ingest/chats/changes.ts'
import type { NewFact } from '../../../ingest/chats/known-posts.ts'
import type { ChatChange, ChatNews, ReadPost } from '../../../ingest/chats/reader.ts'
import type { ChatFact } from '../../../schemas/chats/facts.ts'

const chat = '-1001'
const lostAfterMs = 60_000

const post = (number: number, text: string, more: Partial<ReadPost> = {}): ReadPost => ({
  ...{ chat, chatName: 'calls', post: number, poster: chat, posterName: null, postedAtMs: number * 1000 },
  ...{ text, entities: [], buttons: [], replyTo: null, origin: null },
  ...more,
})
type Edit = Partial<ReadPost> & Readonly<{ atSec: number }>
const posted = (number: number, text = `post ${number}`): ChatChange => ({
  ...{ type: 'posted', versionAtMs: number * 1000, post: post(number, text) },
})
const edited = (number: number, text: string, { atSec, ...more }: Edit): ChatChange => ({
  ...{ type: 'edited', versionAtMs: atSec * 1000, post: post(number, text, more) },
})
const deleted = (...posts: readonly number[]): ChatChange => ({ type: 'deleted', posts })

const newsOf = (changes: readonly ChatChange[], isTooLong = false): ChatNews => ({ chat, changes, isTooLong })
/** Returns the facts with a block, as a log has them. */
const placed = (facts: readonly NewFact[]): readonly ChatFact[] =>
  facts.map(
    ({ type, data }, index) =>
      ({ type, data: { ...data, blockNumber: index + 1, blockHash: '0x', blockAtMs: 0 } }) as ChatFact,
  )
const bookOf = (facts: readonly NewFact[] = [], knownUntilMs: number | null = null) =>
  createChatTracker({ facts: placed(facts), knownUntilMs, lostAfterMs })
const take = (book: ReturnType<typeof bookOf>, changes: readonly ChatChange[], nowMs = 0) =>
  book.take({ news: [newsOf(changes)], seen: [chat], refused: [] }, nowMs)
const saidBy = (facts: readonly NewFact[]) =>
  facts.map(({ type, data }) => ('text' in data ? `${type} ${data.post} ${data.text}` : `${type}`))

describe('what is new in what was read of chats', () => {
  const link = { offset: 0, length: 1, url: 'https://dex.example/a' }
  const button = { text: 'Chart', url: 'https://dex.example/a', data: null }
  const told: readonly (readonly [says: string, changes: readonly ChatChange[], facts: readonly string[]])[] = [
    ['a post', [posted(1)], ['PostSeen 1 post 1']],
    ['a post once, however often it is read', [posted(1), posted(1)], ['PostSeen 1 post 1']],
    ['an edit', [posted(1), edited(1, 'new', { atSec: 9 })], ['PostSeen 1 post 1', 'PostEdited 1 new']],
    ['no edit that leaves the text as it is', [posted(1), edited(1, 'post 1', { atSec: 9 })], ['PostSeen 1 post 1']],
    [
      'an edit once',
      [posted(1), edited(1, 'b', { atSec: 9 }), edited(1, 'b', { atSec: 9 })],
      ['PostSeen 1 post 1', 'PostEdited 1 b'],
    ],
    [
      'an edit in the second of its post',
      [posted(1), edited(1, 'b', { atSec: 1 })],
      ['PostSeen 1 post 1', 'PostEdited 1 b'],
    ],
    [
      'no older content behind a newer one',
      [posted(1), edited(1, 'b', { atSec: 9 }), edited(1, 'a', { atSec: 5 }), posted(1)],
      ['PostSeen 1 post 1', 'PostEdited 1 b'],
    ],
    [
      'an edit back to what it was',
      [posted(1), edited(1, 'b', { atSec: 8 }), edited(1, 'post 1', { atSec: 9 })],
      ['PostSeen 1 post 1', 'PostEdited 1 b', 'PostEdited 1 post 1'],
    ],
    ['an edit of a post that is not known', [edited(1, 'b', { atSec: 9 })], ['PostEdited 1 b']],
    ['a deletion once', [posted(1), deleted(1, 1), deleted(1)], ['PostSeen 1 post 1', 'PostsDeleted']],
    [
      'nothing of a post that was deleted',
      [posted(1), deleted(1), edited(1, 'b', { atSec: 9 }), posted(1)],
      ['PostSeen 1 post 1', 'PostsDeleted'],
    ],
    [
      'a link that is put in',
      [posted(1), edited(1, 'post 1', { atSec: 9, entities: [link] })],
      ['PostSeen 1 post 1', 'PostEdited 1 post 1'],
    ],
    [
      'a button with another link',
      [posted(1), edited(1, 'post 1', { atSec: 9, buttons: [button] })],
      ['PostSeen 1 post 1', 'PostEdited 1 post 1'],
    ],
    [
      'no button with other words: it counts reactions',
      [
        edited(1, 'a', { atSec: 8, buttons: [button] }),
        edited(1, 'a', { atSec: 9, buttons: [{ ...button, text: '12' }] }),
      ],
      ['PostEdited 1 a'],
    ],
  ]
  for (const [says, changes, facts] of told)
    it(`is ${says}`, () => expect(saidBy(take(bookOf(), changes))).to.deep.equal(facts))

  it('is what the log does not have after a restart', () => {
    const facts = take(bookOf(), [posted(1), posted(2), edited(1, 'b', { atSec: 9 }), deleted(2)])
    const book = bookOf(facts, 0)
    expect([book.firstPostOf(chat), book.lastPostOf(chat)]).to.deep.equal([1, 2])
    expect(take(book, [posted(1), posted(2), edited(1, 'b', { atSec: 9 }), deleted(2)])).to.deep.equal([])
  })

  it('remembers so many posts of a chat, the newest', () => {
    const book = createChatTracker({ facts: [], knownUntilMs: null, lostAfterMs, postsMax: 2 })
    take(book, [posted(1), posted(2), posted(3)])
    expect([book.firstPostOf(chat), book.lastPostOf(chat)]).to.deep.equal([2, 3])
  })

  type Act = Readonly<{ kind: 'post' | 'edit' | 'delete'; pick: number }>
  const acts = fc.array(
    fc.record({ kind: fc.constantFrom<Act['kind']>('post', 'post', 'edit', 'delete'), pick: fc.nat(1000) }),
    { maxLength: 40 },
  )

  /** Returns the changes on the platform, in order. Two versions of a post never have the same content. */
  function history(done: readonly Act[]): readonly ChatChange[] {
    const changes: ChatChange[] = []
    const alive: number[] = []
    let count = 0
    for (const [index, { kind, pick }] of done.entries()) {
      const number = alive[pick % Math.max(1, alive.length)]
      // The platform's clock has whole seconds, so several posts have the same time.
      const versionAtMs = 1000 * Math.floor(index / 3)
      if (kind === 'post' || number === undefined) {
        alive.push(++count)
        const content = post(count, `as posted ${index}`, { postedAtMs: versionAtMs })
        changes.push({ type: 'posted', versionAtMs, post: content })
      } else if (kind === 'edit') changes.push({ type: 'edited', versionAtMs, post: post(number, `edit ${index}`) })
      else {
        alive.splice(alive.indexOf(number), 1)
        changes.push(deleted(number))
      }
    }
    return changes
  }

  it('is the same facts however readings are cut, and wherever they begin again after a restart', () => {
    fc.assert(
      fc.property(acts, fc.array(fc.tuple(fc.nat(12), fc.nat(12), fc.boolean()), { maxLength: 12 }), (done, cuts) => {
        const changes = history(done)
        const expected = saidBy(take(bookOf(), changes))
        let at = 0
        let facts: readonly NewFact[] = []
        let book = bookOf()
        for (const [back, count, isRestarted] of [...cuts, [0, changes.length, false] as const]) {
          // The read position is stored after the facts, so some changes are read again after a restart.
          if (isRestarted) book = bookOf(facts, 0)
          const from = Math.max(0, at - back)
          const until = Math.max(at, Math.min(changes.length, at + count))
          facts = [...facts, ...take(book, changes.slice(from, until))]
          at = until
        }
        expect(saidBy(facts)).to.deep.equal(expected)
      }),
    )
  })
})

describe('a gap of a chat', () => {
  const seen = { news: [], seen: [chat], refused: [] }
  const started = () => {
    const book = bookOf()
    book.take(seen, 1_000)
    return book
  }
  const gap = (fromAtMs: number, toAtMs: number, reason: string) => ({
    ...{ type: 'ChatGapFound', data: { chat, fromAtMs, toAtMs, reason } },
  })

  it('is told when it was not looked at for longer than a minute, and what was missed is late', () => {
    const book = started()
    expect(book.take(seen, 61_000)).to.deep.equal([])
    expect(take(book, [posted(1)], 121_001)).to.deep.equal([
      gap(61_000, 121_001, 'offline'),
      { type: 'PostSeen', data: { ...post(1, 'post 1'), isLate: true } },
    ])
    expect(take(book, [posted(2)], 121_002)).to.have.nested.property('[0].data.isLate', false)
  })

  it('stays open for late posts until all of it is read', () => {
    const book = started()
    const reading = (number: number) => ({ news: [newsOf([posted(number)])], seen: [], refused: [] })
    expect(book.take(reading(1), 100_000).map(({ type }) => type)).to.deep.equal(['ChatGapFound', 'PostSeen'])
    expect(book.take(reading(2), 100_500)).to.have.nested.property('[0].data.isLate', true)
    book.take(seen, 100_600)
    expect(book.take(reading(3), 100_700)).to.have.nested.property('[0].data.isLate', false)
  })

  it('is told however short it is when the platform no longer tells all', () => {
    const book = started()
    const told = book.take({ news: [newsOf([posted(1)], true)], seen: [chat], refused: [] }, 1_001)
    expect(told[0]).to.deep.equal(gap(1_000, 1_001, 'too_long'))
    expect(told[1]).to.have.nested.property('data.isLate', true)
  })

  it('is not told of a chat that is new', () => {
    expect(bookOf([], 1_000).take(seen, 9_000_000)).to.deep.equal([])
  })

  it('covers the time in which nothing ran, of chats with posts and of those that were followed', () => {
    const known = take(bookOf(), [posted(1)])
    expect(bookOf(known, 1_000).take(seen, 100_000)).to.deep.equal([gap(1_000, 100_000, 'offline')])
    expect(bookOf([], 1_000).take({ ...seen, followedBefore: [chat] }, 100_000)).to.deep.equal([
      gap(1_000, 100_000, 'offline'),
    ])
  })

  for (const [what, reading, reason] of [
    ['is refused', { news: [], seen: [], refused: [chat] }, 'refused'],
    ['cannot be read', { news: [], seen: [], refused: [], unread: [chat] }, 'offline'],
  ] as const) {
    it(`of a chat that ${what} is told each minute, and when it is back, and what was missed is late`, () => {
      const book = started()
      expect(book.take(reading, 61_000)).to.deep.equal([])
      expect(book.take(reading, 61_001)).to.deep.equal([gap(1_000, 61_001, reason)])
      expect(book.take(reading, 121_001)).to.deep.equal([])
      expect(book.take(reading, 121_002)).to.deep.equal([gap(61_001, 121_002, reason)])
      expect(take(book, [posted(1)], 131_000)).to.deep.equal([
        gap(121_002, 131_000, reason),
        { type: 'PostSeen', data: { ...post(1, 'post 1'), isLate: true } },
      ])
      expect(take(book, [posted(2)], 131_001)).to.have.nested.property('[0].data.isLate', false)
      expect(book.take(seen, 191_002)).to.deep.equal([gap(131_001, 191_002, 'offline')])
    })

    it(`of a chat that ${what} goes on behind a restart, and what was missed is late`, () => {
      const known = started().take(reading, 61_001)
      const book = bookOf(known, 121_001)
      expect(book.take(reading, 121_001)).to.deep.equal([])
      expect(take(book, [posted(1)], 121_001)).to.deep.equal([
        gap(61_001, 121_001, reason),
        { type: 'PostSeen', data: { ...post(1, 'post 1'), isLate: true } },
      ])
    })
  }

  it('ends before a restart with a post that was read in time, and after a minute', () => {
    const book = started()
    const known = [...take(book, [posted(1)], 100_000), ...take(book, [posted(2)], 100_001)]
    expect(known.map(({ type }) => type)).to.deep.equal(['ChatGapFound', 'PostSeen', 'PostSeen'])
    for (const [facts, knownUntilMs] of [
      [known, 130_000],
      [known.slice(0, 2), 160_001],
    ] as const) {
      const again = bookOf(facts, knownUntilMs)
      expect(take(again, [posted(3)], knownUntilMs + 60_000)).to.have.nested.property('[0].data.isLate', false)
    }
  })
})
