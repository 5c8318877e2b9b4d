/**
 * Posts of followed chats. Topic `chat-posts`, keyed by chat. The topic is never given to others, because it
 * contains the texts of posts. Each post, edit and deletion counts as a separate block. The block number
 * counts everything that ingest has read. The time of a block is the time when ingest read it.
 */
import { type AvroValue, arrayOf, type EventOf, enumOf, nullable, recordOf } from '../avro.ts'
import { block, blockHash, epochMs } from '../flavors.ts'
import { tick } from '../tick.ts'

const place = [
  { name: 'chat', type: 'string', doc: 'the platform’s id of the chat' },
  { name: 'blockNumber', type: block, doc: 'counts what was read, over all chats' },
  { name: 'blockHash', type: blockHash, doc: 'always 0x: nothing read is taken back' },
  { name: 'blockAtMs', type: epochMs, doc: 'when ingest had it' },
] as const

const content = [
  { name: 'post', type: 'long', doc: 'the platform’s number of it in the chat' },
  { name: 'chatName', type: nullable('string'), doc: 'the public name without @; null: the chat is private' },
  { name: 'poster', type: 'string', doc: 'the platform’s id of who posted; the chat itself in channels' },
  { name: 'posterName', type: nullable('string'), doc: 'of bots only: whose card it is' },
  { name: 'postedAtMs', type: epochMs },
  { name: 'text', type: 'string' },
  {
    name: 'entities',
    type: arrayOf(
      recordOf('PostEntity', [
        { name: 'offset', type: 'int', doc: 'UTF-16 units into the text' },
        { name: 'length', type: 'int' },
        { name: 'url', type: nullable('string'), doc: 'of links; null: code, a cashtag or other marked text' },
      ]),
    ),
  },
  {
    name: 'buttons',
    type: arrayOf(
      recordOf('PostButton', [
        { name: 'text', type: 'string' },
        { name: 'url', type: nullable('string') },
        { name: 'data', type: nullable('string'), doc: 'what the button sends back to its bot' },
      ]),
    ),
  },
  { name: 'replyTo', type: nullable('long') },
  {
    name: 'origin',
    type: nullable(
      recordOf('PostOrigin', [
        { name: 'chat', type: nullable('string') },
        { name: 'postedAtMs', type: epochMs },
      ]),
    ),
    doc: 'of a forwarded post; null: not forwarded',
  },
  { name: 'isLate', type: 'boolean', doc: 'read again after a gap' },
] as const

const postSeen = recordOf('PostSeen', [...content, ...place])

/**
 * An edit of a post. The record has the whole content after the edit. Ingest writes it only if the content
 * changed.
 */
const postEdited = recordOf('PostEdited', [{ name: 'editedAtMs', type: epochMs }, ...content, ...place])

const postsDeleted = recordOf('PostsDeleted', [{ name: 'posts', type: arrayOf('long') }, ...place])

export const chatGapReasons = ['offline', 'too_long', 'refused'] as const
export type ChatGapReason = (typeof chatGapReasons)[number]

/**
 * A time span in which ingest did not read the posts of the chat live. Posts that ingest could read later
 * follow with `isLate`. Edits and deletions of this span are missing.
 */
const chatGapFound = recordOf('ChatGapFound', [
  { name: 'fromAtMs', type: epochMs },
  { name: 'toAtMs', type: epochMs },
  { name: 'reason', type: enumOf('ChatGapReason', chatGapReasons) },
  ...place,
])

/**
 * The numbers of posts by bot. `unread` counts posts in which nothing could be parsed, for example cards
 * (token summaries) with a new layout.
 */
export const botCards = arrayOf(
  recordOf('BotCards', [
    { name: 'bot', type: 'string' },
    { name: 'posts', type: 'int' },
    { name: 'unread', type: 'int' },
  ]),
)

/**
 * The numbers of posts and edits of known scanner bots in the chat. Both cards (token summaries) and replies
 * that name a token count. The record does not belong to a block. It comes from the program that searches
 * posts for tokens, because only that program knows the layouts of cards.
 */
const cardsCounted = recordOf('CardsCounted', [
  { name: 'fromAtMs', type: epochMs, doc: 'when ingest had the first of the posts' },
  { name: 'toAtMs', type: epochMs, doc: 'when it had the last' },
  { name: 'bots', type: botCards },
  { name: 'parserVersion', type: 'int' },
])

export const chatFactSchemas = {
  PostSeen: postSeen,
  PostEdited: postEdited,
  PostsDeleted: postsDeleted,
  ChatGapFound: chatGapFound,
  CardsCounted: cardsCounted,
  Tick: tick,
} as const

export type PostSeen = AvroValue<typeof postSeen>
/** The content of a post, either the original content or that after an edit. */
export type PostContent = Omit<PostSeen, 'blockNumber' | 'blockHash' | 'blockAtMs'>

export type CardsCounted = AvroValue<typeof cardsCounted>
export type ChatFact = Exclude<EventOf<typeof chatFactSchemas>, { type: 'Tick' | 'CardsCounted' }>
export type ChatAnswer = Readonly<{ type: 'CardsCounted'; data: CardsCounted }>
