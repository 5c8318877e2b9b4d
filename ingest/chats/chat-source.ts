/** Converts what a chat reader has read to ranges of facts, in the same order. */
import type { ChatFact } from '../../schemas/chats/facts.ts'
import type { Block } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { createChatTracker } from './changes.ts'
import { emptyRange, nextBlock } from './empty-ranges.ts'
import type { NewFact } from './known-posts.ts'
import type { ChatReader } from './reader.ts'
import type { ChatKeyedFact, ChatRange, ChatSource } from './types.ts'

type SourceOptions = Readonly<{ openReader: () => Promise<ChatReader>; nowMs: () => EpochMs; lookBackBlocks?: number }>

/**
 * The number of recorded blocks whose posts are remembered at the start. If every block is an empty tick, one
 * in 2 s, these blocks cover more than two days.
 */
const lookBackBlocksDefault = 100_000

export const createChatSource = (options: SourceOptions): ChatSource => ({
  kind: 'chain',
  async *ranges(cursor, known, signal) {
    const { openReader, nowMs, lookBackBlocks = lookBackBlocksDefault } = options
    const reader = await openReader()
    const since = Math.max(0, (cursor?.number ?? 0) - lookBackBlocks)
    const facts = cursor === null ? [] : await known.factsFrom(since, () => true)
    const tracker = createChatTracker({
      facts: facts.map(({ fact }) => fact).sort((left, right) => left.data.blockNumber - right.data.blockNumber),
      knownUntilMs: cursor?.atMs ?? null,
      lostAfterMs: reader.lostAfterMs,
    })
    let last = cursor
    for await (const reading of reader.readings(tracker, signal)) {
      const atMs = nowMs()
      const range = rangeOf(tracker.take(reading, atMs), last, atMs)
      last = range.head
      yield range
      // The consumer of this generator has requested the next range. So the previous range is recorded, and
      // the reader may store its position.
      await reading.keep?.()
    }
  },
})

function rangeOf(found: readonly NewFact[], last: Block | null, atMs: EpochMs): ChatRange {
  if (found.length === 0) return emptyRange(nextBlock(last, atMs))
  let head = last
  const facts = found.map((fact): ChatKeyedFact => {
    head = nextBlock(head, atMs)
    const place = { blockNumber: head.number, blockHash: head.hash, blockAtMs: head.atMs }
    return { key: fact.data.chat, fact: { type: fact.type, data: { ...fact.data, ...place } } as ChatFact }
  })
  return { ...emptyRange(head ?? nextBlock(last, atMs)), fromBlock: (last?.number ?? 0) + 1, facts }
}
