/**
 * Facts from chat posts about a token, and answers to requests for a token's price, on every chain. The key
 * of a record is the token. These facts do not belong to a block. A stage processes each fact at the next
 * tick.
 */
import { type AvroValue, enumOf, nullable, recordOf } from '../avro.ts'
import { epochMs } from '../flavors.ts'

/**
 * The kinds of mentions: `recall` is a follow-up on an earlier call, and `brag` is a report on the result of
 * an earlier call. Only a `call` starts the 48 h observation of a token.
 */
const mentionKinds = ['call', 'recall', 'brag'] as const
export type MentionKind = (typeof mentionKinds)[number]

/** The parts of a post in which an address can be found. The most reliable part is first. */
const addressSources = ['entity', 'button', 'text'] as const
export type AddressSource = (typeof addressSources)[number]

/** The ids of a post, as the chat platform gives them. */
const postPlace = [
  { name: 'chat', type: 'string', doc: 'the platform’s id of the chat' },
  { name: 'post', type: 'long' },
] as const

/**
 * The mention of a token in a post. A post has one mention per token. If a post is edited, a mention is added
 * only for a token that the post did not name before.
 */
const mentioned = recordOf('Mentioned', [
  ...postPlace,
  { name: 'chatName', type: nullable('string'), doc: 'the public name without @; null: the chat is private' },
  { name: 'poster', type: 'string', doc: 'the platform’s id of who posted; the chat itself in channels' },
  { name: 'kind', type: enumOf('MentionKind', mentionKinds) },
  {
    name: 'postedAtMs',
    type: epochMs,
    doc: 'of the post; of the edit where an edit brought the address. Whole seconds',
  },
  { name: 'isEditedIn', type: 'boolean', doc: 'an edit brought the address' },
  { name: 'seenAtMs', type: epochMs, doc: 'when ingest had the post' },
  { name: 'isLate', type: 'boolean', doc: 'read again after a gap: nobody here knew it when it was posted' },
  { name: 'tokenCount', type: 'int', doc: 'tokens that the post names' },
  { name: 'source', type: enumOf('AddressSource', addressSources) },
  { name: 'originChat', type: nullable('string'), doc: 'where a forwarded post comes from' },
  { name: 'originAtMs', type: nullable(epochMs) },
  { name: 'isTracked', type: 'boolean', doc: 'ingest knew a pool or curve of the token when it read the post' },
  { name: 'parserVersion', type: 'int' },
  { name: 'answeredAtMs', type: epochMs },
  {
    name: 'hasCode',
    type: nullable('boolean'),
    default: null,
    doc: 'whether the node has a contract at the address; null: nobody was asked',
  },
  {
    name: 'isFollowed',
    type: 'boolean',
    default: true,
    doc: 'the call keeps the markets of its token; false: there is no contract, or as many tokens as are followed at one time were called already',
  },
])

/**
 * The values that the card (token summary) of a scanner bot can contain. Shares are from 0 to 1. A value is
 * null if the card does not contain it.
 */
export const cardReadings = [
  { name: 'top10Pct', type: nullable('double') },
  { name: 'topHolder1Pct', type: nullable('double') },
  { name: 'snipers', type: nullable('int') },
  { name: 'sniperPct', type: nullable('double'), doc: 'now' },
  { name: 'bundlers', type: nullable('int') },
  { name: 'bundlePct', type: nullable('double'), doc: 'now' },
  { name: 'devLeftPct', type: nullable('double') },
  { name: 'fresh1d', type: nullable('double') },
  { name: 'fresh7d', type: nullable('double') },
  { name: 'holders', type: nullable('int') },
] as const

/** A card (token summary) that a scanner bot posted. An edit of the card makes a new fact. */
const cardRead = recordOf('CardRead', [
  ...postPlace,
  { name: 'editedAtMs', type: nullable(epochMs) },
  { name: 'postedAtMs', type: epochMs },
  { name: 'seenAtMs', type: epochMs },
  { name: 'bot', type: 'string', doc: '`unknown`: a card of no known layout' },
  { name: 'replyTo', type: nullable('long'), doc: 'the post that the card answers' },
  ...cardReadings,
  { name: 'sniperPctAtLaunch', type: nullable('double'), doc: 'may pass 1: some bots count gross buys' },
  { name: 'bundlePctAtLaunch', type: nullable('double'), doc: 'as above' },
  { name: 'mcapUsd', type: nullable('double') },
  { name: 'parserVersion', type: 'int' },
  { name: 'answeredAtMs', type: epochMs },
])

/**
 * Where a price comes from. `curve` and `pool` are read on the chain, in coin per raw token unit.
 * `aggregator` is an external provider, in USD per token.
 */
export const priceSources = ['curve', 'pool', 'aggregator'] as const

/**
 * The `failure` of a price request that was already too old when the lookup program read it. This failure
 * says nothing about the token.
 */
export const tooOld = 'too old'

/** The answer to a `PriceAsked` request. Exactly one of `price` and `failure` is null. */
const priceAnswered = recordOf('PriceAnswered', [
  { name: 'questionId', type: 'string' },
  { name: 'revision', type: 'int' },
  {
    name: 'price',
    type: nullable(
      recordOf('AskedPrice', [
        { name: 'px', type: 'double', doc: 'in the unit of its source' },
        { name: 'source', type: enumOf('PriceSource', priceSources) },
        { name: 'mcapUsd', type: nullable('double') },
        { name: 'change1h', type: nullable('double'), doc: 'price / price an hour before - 1' },
      ]),
    ),
  },
  { name: 'failure', type: nullable('string') },
  { name: 'answeredAtMs', type: epochMs },
  {
    name: 'isWithoutPrice',
    type: 'boolean',
    default: false,
    doc: 'the failure is about the token: whoever was asked says that it has no price. False: nobody answered, which says nothing of it',
  },
])

/** The schemas of the facts about calls. They are the same on every chain. */
export const callFactSchemas = { Mentioned: mentioned, CardRead: cardRead, PriceAnswered: priceAnswered } as const

export type Mentioned = AvroValue<typeof mentioned>
export type CardRead = AvroValue<typeof cardRead>
export type PriceAnswered = AvroValue<typeof priceAnswered>
export type CardReadings = Readonly<Record<(typeof cardReadings)[number]['name'], number | null>>

/**
 * The facts of this file as records of a topic. A stage handles all of them as answers, which belong to no
 * block.
 */
export type CallAnswer =
  | Readonly<{ type: 'Mentioned'; data: Mentioned }>
  | Readonly<{ type: 'CardRead'; data: CardRead }>
  | Readonly<{ type: 'PriceAnswered'; data: PriceAnswered }>

export const isCallAnswer = ({ type }: Readonly<{ type: string }>): boolean =>
  type === 'Mentioned' || type === 'CardRead' || type === 'PriceAnswered'
