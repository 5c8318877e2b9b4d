/**
 * Reads the posts of the chats from the log. A tick (the record that closes a time step) follows each group
 * of posts.
 */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { recordsFrom } from '../../infra/log/read-back.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { loadSchemas } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { ChatAnswer, ChatFact } from '../../schemas/chats/facts.ts'
import type { StageRecord, TickRecord } from '../../schemas/stage.ts'
import type { Topic } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { type ReadPost, readPost } from './read-post.ts'

export type PostTopic = Readonly<{ topic: Topic; codec: SchemaCodec<ChatFact | ChatAnswer | TickRecord> }>

export type PostReader = Readonly<{
  /**
   * Reads to the end of the log, and yields the posts batch by batch. A post is yielded only after the tick
   * that follows it was read.
   */
  readOn(signal: AbortSignal): AsyncGenerator<readonly ReadPost[]>
  /** The block time of the newest tick that was read. The reader has read all posts up to this time. */
  passedMs(): EpochMs
  /** Resolves as soon as the log has new records, or when the signal aborts. */
  waitForMore(signal: AbortSignal): Promise<void>
}>

/** All posts are in one partition, so that posts of different chats have one common order. */
const partition = 0

/** Creates the reader. Skips a post if the service recorded its tick before `fromMs`. */
export async function createPostReader(log: Log, { topic, codec }: PostTopic, fromMs: EpochMs): Promise<PostReader> {
  const typed = { log, topic: topic.name, partition, codec: codec as SchemaCodec<StageRecord> } as const
  const loadedIds = new Set<number>()
  let offset = await offsetKnownAt(typed, fromMs)
  const unclosed: ReadPost[] = []
  let passedMs = 0

  /** Returns the posts of the batch, and earlier posts, that are followed by a tick of the batch. */
  const closedIn = (batch: RecordBatch): readonly ReadPost[] => {
    const closed: ReadPost[] = []
    for (let index = 0; index < batch.count; index++) {
      const value = batch.valueAt(index)
      if (value === null) continue
      const record = codec.decode(value)
      if (record.type === 'Tick') {
        const { knownAtMs, blockAtMs } = record.data
        passedMs = Math.max(passedMs, blockAtMs)
        const known = unclosed.splice(0)
        if (knownAtMs >= fromMs) closed.push(...known.map((read) => ({ ...read, knownAtMs })))
      } else if (record.type !== 'CardsCounted') unclosed.push(...postIn(record))
    }
    return closed
  }

  return {
    async *readOn(signal) {
      for await (const batch of recordsFrom(log, { topic: topic.name, partition, offset }, { signal })) {
        await loadSchemas(typed, batch, loadedIds)
        const closed = closedIn(batch)
        offset = batch.nextOffset
        yield closed
      }
    },
    passedMs: () => passedMs,
    waitForMore: (signal) => log.waitForAppend({ topic: topic.name, partition, offset }, signal),
  }
}

function postIn(fact: ChatFact): readonly ReadPost[] {
  const read = readPost(fact)
  return read === null ? [] : [read]
}
