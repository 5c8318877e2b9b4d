import { expect } from 'chai'
import { createChatSource } from '../../../ingest/chats/chat-source.ts'
import type { ChatChange, Reading, ReadSoFar } from '../../../ingest/chats/reader.ts'
import type { ChatKeyedFact, ChatRange } from '../../../ingest/chats/types.ts'
import type { Block } from '../../../schemas/stage.ts'
import { buildContent } from '../mentions/build-post.ts'

const nowMs = 1_800_000_000_000
const signal = new AbortController().signal
const quiet: Reading = { news: [], seen: ['-100'], refused: [] }

const posted = (...posts: readonly number[]): Reading => ({
  ...quiet,
  news: [
    {
      ...{ chat: '-100', isTooLong: false },
      changes: posts.map((post): ChatChange => {
        const { isLate: _, ...content } = buildContent({ post, text: `post ${post}` })
        return { type: 'posted', versionAtMs: content.postedAtMs, post: content }
      }),
    },
  ],
})
const factOf = (post: number, blockNumber: number): ChatKeyedFact => {
  const place = { blockNumber, blockHash: '0x', blockAtMs: 5 } as const
  const data = { ...buildContent({ post, text: `post ${post}` }), ...place }
  return { key: '-100', fact: { type: 'PostSeen', data } }
}

type Told = Readonly<{ cursor?: Block | null; facts?: readonly ChatKeyedFact[]; clockMs?: number }>

/**
 * Runs a chat source on a reader that gives these readings. Returns the published ranges, and the order in
 * which the source reads and publishes.
 */
async function follow(readings: readonly Reading[], { cursor = null, facts = [], clockMs = nowMs }: Told = {}) {
  const [ranges, order, lasts] = [[] as ChatRange[], [] as string[], [] as (number | null)[]]
  const openReader = async () => ({
    lostAfterMs: 60_000,
    async *readings(soFar: ReadSoFar) {
      for (const [index, reading] of readings.entries()) {
        lasts.push(soFar.lastPostOf('-100'))
        yield { ...reading, keep: async () => void order.push(`kept ${index}`) }
      }
    },
  })
  const known = {
    ...{ book: null, blocksFrom: async () => [], factIdsFrom: async () => new Map() },
    factsFrom: async (number: number) => {
      order.push(`facts from ${number}`)
      return facts
    },
  }
  for await (const range of createChatSource({ openReader, nowMs: () => clockMs }).ranges(cursor, known, signal)) {
    order.push(`range ${ranges.length}`)
    ranges.push(range)
  }
  return { ranges, order, lasts }
}
const blocksOf = (ranges: readonly ChatRange[]) =>
  ranges.map(({ fromBlock, head, facts }) => [
    fromBlock,
    head.number,
    ...facts.map(({ fact }) => fact.data.blockNumber),
  ])

describe('the source of chats', () => {
  it('makes a block of each fact, and a block without facts of a quiet reading', async () => {
    const { ranges } = await follow([quiet, posted(1, 2), quiet, posted(3)])
    expect(blocksOf(ranges)).to.deep.equal([
      [1, 1],
      [2, 3, 2, 3],
      [4, 4],
      [5, 5, 5],
    ])
    for (const { head } of ranges) expect(head).to.include({ hash: '0x', atMs: nowMs })
    expect(ranges[1]?.facts.map(({ key, fact }) => [key, fact.type])).to.deep.equal([
      ['-100', 'PostSeen'],
      ['-100', 'PostSeen'],
    ])
  })

  it('goes on after the cursor, whose time never falls', async () => {
    const cursor: Block = { number: 7, hash: '0x', atMs: nowMs + 500 }
    const { ranges } = await follow([quiet, posted(1)], { cursor })
    expect(blocksOf(ranges)).to.deep.equal([
      [8, 8],
      [9, 9, 9],
    ])
    for (const { head } of ranges) expect(head.atMs).to.equal(nowMs + 500)
  })

  it('stores the position of a reading when its range is in the log', async () => {
    const { order } = await follow([posted(1), quiet])
    expect(order).to.deep.equal(['range 0', 'kept 0', 'range 1', 'kept 1'])
  })

  it('knows the posts of the last hundred thousand blocks, in their order', async () => {
    const cursor = { number: 150_000, hash: '0x', atMs: nowMs } as const
    const { order, ranges, lasts } = await follow([posted(1, 2, 3)], {
      cursor,
      facts: [factOf(2, 60_001), factOf(1, 60_000)],
    })
    expect(order[0]).to.equal('facts from 50000')
    expect(lasts).to.deep.equal([2])
    expect(ranges[0]?.facts).to.have.lengthOf(1)
    const early = await follow([], { cursor: { ...cursor, number: 99_999 } })
    expect(early.order).to.deep.equal(['facts from 0'])
    expect((await follow([])).order).to.deep.equal([])
  })

  it('has a gap since its last block if it was away for longer than the reader allows', async () => {
    const facts = [factOf(1, 1)]
    const gapsAfter = async (awayMs: number) => {
      const cursor = { number: 1, hash: '0x', atMs: nowMs - awayMs } as const
      const { ranges } = await follow([quiet], { cursor, facts })
      return ranges.flatMap((range) => range.facts).map(({ fact }) => fact.type)
    }
    expect(await gapsAfter(60_000)).to.deep.equal([])
    expect(await gapsAfter(60_001)).to.deep.equal(['ChatGapFound'])
  })
})
