/** What the log holds of the posts of the last day, so that no post is written twice. The log alone keeps this state. */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { dataOf, scan } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { CardRead, Mentioned } from '../../schemas/calls/facts.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import type { Topic } from '../../schemas/topics.ts'
import type { ReadPost, TokenFact } from './read-post.ts'

/** A chain whose facts hold mentions. */
export type FactTopic = Readonly<{ topic: Topic; codec: SchemaCodec<StageRecord> }>

export type Written = Readonly<{
  /** When ingest had the newest post that gave a fact; null: none did. */
  newestSeenAtMs: number | null
  has(read: ReadPost, fact: TokenFact): boolean
  add(read: ReadPost, fact: TokenFact, atMs: number): void
  /** Forgets what was written before. */
  forgetBefore(atMs: number): void
}>

/** Reads what was written since, by the ticks’ time. */
export async function readWritten(log: Log, chains: readonly FactTopic[], sinceMs: number): Promise<Written> {
  /** When each was written, by what it is. The oldest come first, or nearly. */
  const writtenAtMs = new Map<string, number>()
  let newestSeenAtMs: number | null = null
  const note = (id: string, { seenAtMs, answeredAtMs }: Mentioned | CardRead) => {
    writtenAtMs.set(id, answeredAtMs)
    newestSeenAtMs = Math.max(newestSeenAtMs ?? 0, seenAtMs)
  }
  for (const { topic, codec } of chains)
    for (let partition = 0; partition < topic.partitionCount; partition++) {
      const facts = { log, topic: topic.name, partition, codec } as const
      await scan(facts, await offsetKnownAt(facts, sinceMs), ({ key, value }) => {
        const mention = dataOf<Mentioned>(facts, 'Mentioned', value)
        if (mention) note(mentionId(mention, key), mention)
        const card = dataOf<CardRead>(facts, 'CardRead', value)
        if (card) note(cardId(card), card)
        return undefined
      })
    }

  return {
    newestSeenAtMs,
    has: (read, fact) => idsOf(read, fact).some((id) => writtenAtMs.has(id)),
    add: (read, fact, atMs) => {
      for (const id of idsOf(read, fact)) writtenAtMs.set(id, atMs)
    },
    forgetBefore: (atMs) => {
      for (const [id, itsAtMs] of writtenAtMs) {
        if (itsAtMs >= atMs) break
        writtenAtMs.delete(id)
      }
    },
  }
}

type PostPlace = Readonly<{ chat: string; post: number }>

const mentionId = ({ chat, post }: PostPlace, address: string): string => `${chat}/${post} ${address}`
/** Each version of a card is read once. */
const cardId = ({ chat, post, editedAtMs }: PostPlace & Readonly<{ editedAtMs: number | null }>): string =>
  `${chat}/${post} edited ${editedAtMs ?? 'never'}`

/** A market may have stood for its token before the book knew it. */
function idsOf({ content, editedAtMs }: ReadPost, { named, fact }: TokenFact): readonly string[] {
  if (fact.type === 'CardRead') return [cardId({ ...content, editedAtMs })]
  return [named.token, ...named.addresses].map((address) => mentionId(content, address))
}
