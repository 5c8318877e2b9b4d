/**
 * Remembers the mentions and cards of the last day, so that no fact is written two times. After a restart,
 * these facts are read from the log.
 */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { dataOf, scan } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { CardRead, Mentioned } from '../../schemas/calls/facts.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import type { Topic } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { ReadPost, TokenFact } from './read-post.ts'

/** A chain whose facts include mentions. `name` is the name of its stage. */
export type FactTopic = Readonly<{ name: string; topic: Topic; codec: SchemaCodec<StageRecord> }>

/** A token and its chain. `chain` is the name of the chain's stage. */
type MentionedToken = Readonly<{ chain: string; token: string }>

export type Written = Readonly<{
  /** The newest time at which a post with a written fact was seen. Null if there is no such post. */
  newestSeenAtMs: EpochMs | null
  has(read: ReadPost, fact: TokenFact): boolean
  add(read: ReadPost, fact: TokenFact, atMs: EpochMs): void
  /** Returns the token of a post that mentions exactly one token. Null for other posts. */
  tokenOf(chat: string, post: number): MentionedToken | null
  /** Forgets the facts that were written before this time. */
  forgetBefore(atMs: EpochMs): void
}>

/**
 * Reads the mentions and cards that were written after `sinceMs` from the log. Calls `onMention` for each
 * mention.
 */
export async function readWritten(
  log: Log,
  chains: readonly FactTopic[],
  { sinceMs, onMention }: Readonly<{ sinceMs: EpochMs; onMention: (mention: Mentioned, token: string) => void }>,
): Promise<Written> {
  /**
   * For each id of a written fact, the time at which it was written. The ids are roughly in the order of
   * time.
   */
  const writtenAtMs = new Map<string, number>()
  /** For each post, the token that it mentions. `token` is null if the post mentions several tokens. */
  const tokens = new Map<string, Readonly<{ token: MentionedToken | null; atMs: EpochMs }>>()
  let newestSeenAtMs: EpochMs | null = null
  const note = (id: string, { seenAtMs, answeredAtMs }: Mentioned | CardRead) => {
    writtenAtMs.set(id, answeredAtMs)
    newestSeenAtMs = Math.max(newestSeenAtMs ?? 0, seenAtMs)
  }
  const noteToken = (post: PostPlace, token: MentionedToken, atMs: EpochMs) => {
    const id = postId(post)
    tokens.set(id, { token: tokens.has(id) ? null : token, atMs })
  }
  for (const { name: chain, topic, codec } of chains)
    for (let partition = 0; partition < topic.partitionCount; partition++) {
      const facts = { log, topic: topic.name, partition, codec } as const
      await scan(facts, await offsetKnownAt(facts, sinceMs), ({ key, value }) => {
        const mention = dataOf<Mentioned>(facts, 'Mentioned', value)
        if (mention) {
          note(mentionId(mention, key), mention)
          noteToken(mention, { chain, token: key }, mention.answeredAtMs)
          onMention(mention, key)
        }
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
      if (fact.fact.type === 'Mentioned')
        noteToken(read.content, { chain: fact.named.chain, token: fact.named.token }, atMs)
    },
    tokenOf: (chat, post) => tokens.get(postId({ chat, post }))?.token ?? null,
    forgetBefore: (atMs) => {
      for (const [id, itsAtMs] of writtenAtMs) {
        if (itsAtMs >= atMs) break
        writtenAtMs.delete(id)
      }
      for (const [id, ofPost] of tokens) {
        if (ofPost.atMs >= atMs) break
        tokens.delete(id)
      }
    },
  }
}

type PostPlace = Readonly<{ chat: string; post: number }>

const postId = ({ chat, post }: PostPlace): string => `${chat}/${post}`
const mentionId = (place: PostPlace, address: string): string => `${postId(place)} ${address}`
/**
 * Returns the id of a card. The id contains the time of the card's last edit, so each version of a card has
 * its own id.
 */
const cardId = ({ chat, post, editedAtMs }: PostPlace & Readonly<{ editedAtMs: EpochMs | null }>): string =>
  `${postId({ chat, post })} edited ${editedAtMs ?? 'never'}`

/**
 * Returns the ids by which a written fact is found again. A mention has one id for the token and one for each
 * address that names the token in the post. An earlier mention may have taken the address of a market for the
 * token, because the market was not known yet.
 */
function idsOf({ content, editedAtMs }: ReadPost, { named, fact }: TokenFact): readonly string[] {
  if (fact.type === 'CardRead') return [cardId({ ...content, editedAtMs })]
  return [named.token, ...named.addresses].map((address) => mentionId(content, address))
}
