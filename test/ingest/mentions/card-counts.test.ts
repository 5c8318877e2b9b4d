import { expect } from 'chai'
import { createCardCounts } from '../../../ingest/mentions/card-counts.ts'
import { parserVersion } from '../../../ingest/mentions/parser-version.ts'
import { readPost } from '../../../ingest/mentions/read-post.ts'
import type { PostContent } from '../../../schemas/chats/facts.ts'
import { buildContent, mintOf } from './build-post.ts'
import { sampleCard } from './chat-samples.ts'

const card = sampleCard('phanes-2025-12-blank-rows').text
const bot = { posterName: 'PhanesGoldBot', replyTo: 1 }

/** Returns the counts of these posts. The posts are read 1 s apart. */
function counted(posts: readonly Partial<PostContent>[], fromMs = 0) {
  const counts = createCardCounts(fromMs)
  for (const [index, content] of posts.entries()) {
    const place = { blockNumber: index, blockHash: '0x', blockAtMs: (index + 1) * 1000 } as const
    const read = readPost({ type: 'PostSeen', data: { ...buildContent(content), ...place } })
    if (read) counts.add(read)
  }
  return counts
}
const botsOf = (posts: readonly Partial<PostContent>[], fromMs?: number) =>
  counted(posts, fromMs)
    .take(60_000)
    .flatMap(({ data }) => data.bots)

describe('counts of cards', () => {
  const table: readonly Readonly<[string, Partial<PostContent>, readonly [number, number] | null]>[] = [
    ['a card', { ...bot, text: card }, [1, 0]],
    ['a card of a layout of tomorrow', { ...bot, text: `market cap is 9K ${mintOf(1)}` }, [1, 1]],
    ['a card whose rows say nothing', { ...bot, text: `Dev Sold: ?\nSup: ?\nVol: ?\n${mintOf(1)}` }, [1, 1]],
    ['the answer to a command', { ...bot, text: 'Invalid input! Use /dp <symbol>' }, null],
    ['what a bot says unasked', { ...bot, replyTo: null, text: `a tweet about ${mintOf(1)}` }, null],
    ['the place of a card to come', { ...bot, text: `Scanning ${mintOf(1)}` }, null],
    ['a card that a person posts', { text: card }, null],
    ['a card of a bot that nobody knows', { ...bot, posterName: 'somebot', text: card }, null],
    ['a call', { text: mintOf(1) }, null],
  ]
  for (const [name, content, count] of table)
    it(`${count === null ? 'leave out' : count[1] === 0 ? 'have as read' : 'have as unread'} ${name}`, () => {
      const [posts, unread] = count ?? []
      expect(botsOf([content])).to.deep.equal(count === null ? [] : [{ bot: 'phanes', posts, unread }])
    })

  it('are of a chat and a bot, from the first post to the last, and are taken once', () => {
    const rick = { ...bot, posterName: 'RickBurpBot', text: sampleCard('rick-2025-signs').text }
    const strange = { ...bot, text: `tomorrow ${mintOf(1)}` }
    const counts = counted([{ ...bot, text: card }, rick, strange, { ...strange, chat: '-200' }, { text: 'gm' }])
    expect(counts.take(60_000)).to.deep.equal([
      {
        chat: '-100',
        data: {
          ...{ fromAtMs: 1000, toAtMs: 3000, parserVersion },
          bots: [
            { bot: 'phanes', posts: 2, unread: 1 },
            { bot: 'rick', posts: 1, unread: 0 },
          ],
        },
      },
      {
        chat: '-200',
        data: { fromAtMs: 4000, toAtMs: 4000, bots: [{ bot: 'phanes', posts: 1, unread: 1 }], parserVersion },
      },
    ])
    expect(counts.take(60_000)).to.deep.equal([])
  })

  it('are those of whole minutes that are over', () => {
    const counts = counted(Array.from({ length: 130 }, () => ({ ...bot, text: `tomorrow ${mintOf(1)}` })))
    const taken = (untilMs: number) =>
      counts.take(untilMs).map(({ data }) => [data.fromAtMs, data.toAtMs, data.bots[0]?.posts])
    expect(taken(59_999)).to.deep.equal([])
    expect(taken(60_000)).to.deep.equal([[1000, 59_000, 59]])
    expect(taken(179_999)).to.deep.equal([[60_000, 119_000, 60]])
    expect(taken(180_000)).to.deep.equal([[120_000, 130_000, 11]])
  })

  it('leave out what was counted before', () => {
    const cards = [1, 2, 3].map(() => ({ ...bot, text: card }))
    expect(botsOf(cards, 3000)).to.deep.equal([{ bot: 'phanes', posts: 1, unread: 0 }])
    expect(botsOf(cards, 3001)).to.deep.equal([])
  })
})
