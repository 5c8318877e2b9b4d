/** The derived records about calls and scanner cards, on every chain. The key of each record is the token. */
import { type AvroValue, arrayOf, enumOf, nullable, recordOf } from '../avro.ts'
import { address, durationMs, epochMs, marketId, txHash, wei } from '../flavors.ts'
import { cardReadings, priceSources } from './facts.ts'

/**
 * The kind of market in which the token traded at the first post. The name contains the fill of a curve in
 * percent, or the age of a pool. These values are Avro symbols. API answers write `curve-0-25`, `pool-<1h`,
 * `pool->24h`.
 */
export const callStages = [
  'curve_0_25',
  'curve_25_55',
  'curve_55_100',
  'pool_under_1h',
  'pool_1_6h',
  'pool_6_24h',
  'pool_over_24h',
] as const
export type CallStage = (typeof callStages)[number]

/**
 * A call: a token that posts in followed chats name. The token is observed for 48 hours after the first post.
 * In this time each post, price sample and burst publishes a new version of the record. Returns are fractions
 * of the anchor price (the price shortly after the post), without costs.
 */
const call = recordOf('Call', [
  { name: 'calledAtMs', type: epochMs, doc: 'the first post' },
  { name: 'firstSeenAtMs', type: epochMs, doc: 'when ingest had it' },
  { name: 'isLate', type: 'boolean', doc: 'the first post was read after a gap' },
  {
    name: 'hasCode',
    type: nullable('boolean'),
    default: null,
    doc: 'false: the node has no contract at this address, so it is no token; null: nobody was asked',
  },
  { name: 'isFirst', type: 'boolean', doc: 'the first version of the row: the call is new' },
  {
    name: 'chats',
    type: arrayOf(
      recordOf('CallChat', [
        { name: 'chat', type: 'string' },
        { name: 'chatName', type: nullable('string'), doc: 'null: private' },
        { name: 'firstAtMs', type: epochMs },
        { name: 'posts', type: 'int' },
        { name: 'posters', type: arrayOf('string') },
      ]),
    ),
    doc: 'in the order of their first posts',
  },
  { name: 'recalls', type: 'int', doc: 'posts after the first one' },
  {
    name: 'anchor',
    type: nullable(
      recordOf('CallAnchor', [
        { name: 'atMs', type: epochMs },
        { name: 'px', type: 'double', doc: 'in the unit of its source' },
        { name: 'mcapUsd', type: nullable('double'), doc: 'as an aggregator told it' },
        {
          name: 'mcapCoin',
          type: nullable('double'),
          doc: 'price × supply in the chain’s coin; null: supply not known',
        },
        { name: 'source', type: enumOf('PriceSource', priceSources) },
        { name: 'market', type: nullable(marketId), doc: 'the pool or curve; null: an aggregator’s price' },
        {
          name: 'isAsked',
          type: 'boolean',
          default: false,
          doc: 'the price was asked for; false: it is that of the log',
        },
      ]),
    ),
    doc: 'the price at the call; null until one is known',
  },
  { name: 'stage', type: nullable(enumOf('CallStage', callStages)), doc: 'null: not tracked' },
  {
    name: 'triggered',
    type: nullable('string'),
    doc: 'tier of the first burst after the first post; `sol` on chain B',
  },
  { name: 'lastSampleAtMs', type: nullable(epochMs) },
  { name: 'lastRet', type: nullable('double'), doc: 'at the last sample' },
  { name: 'ret1h', type: nullable('double') },
  { name: 'ret4h', type: nullable('double') },
  { name: 'ret12h', type: nullable('double') },
  { name: 'ret24h', type: nullable('double') },
  { name: 'ret48h', type: nullable('double') },
  { name: 'maxRet', type: nullable('double'), doc: 'of all samples so far' },
  { name: 'maxAtMs', type: nullable(epochMs) },
  { name: 'dipBeforeMax', type: nullable('double'), doc: 'the lowest return of a sample up to the high' },
  {
    name: 'ruggedAtMs',
    type: nullable(epochMs),
    default: null,
    doc: 'when the liquidity of the anchor’s market was pulled; later returns are -1',
  },
  { name: 'isDead', type: 'boolean', doc: 'three hours of samples without a price' },
  { name: 'isDone', type: 'boolean', doc: '48 hours are over' },
])

/**
 * Requests a lookup: what is the price of this token now? A stage publishes this record if the log has no
 * price of the token.
 */
const priceAsked = recordOf('PriceAsked', [
  { name: 'questionId', type: 'string', doc: 'token:atMs' },
  { name: 'revision', type: 'int' },
  { name: 'atMs', type: epochMs, doc: 'the instant of the sample' },
  { name: 'market', type: nullable(marketId), doc: 'the pool or curve to read; null: none is known' },
  {
    name: 'isInUsd',
    type: 'boolean',
    default: false,
    doc: 'it is compared with a price in USD, so one in coin is of no use',
  },
  {
    name: 'usefulMs',
    type: durationMs,
    default: 300_000,
    doc: 'so long after atMs an answer is of use; what is needed sooner than a sample is asked before samples',
  },
])

/**
 * The reasons why a post is not scored.
 * - `late_anchor`: the first price came too late after the post.
 * - `no_price`: the token had no price.
 * - `unanswered`: a requested price did not arrive in time.
 * - `too_many`: too many posts about the token are already scored on requested prices.
 */
export const unscoredReasons = ['late_anchor', 'no_price', 'unanswered', 'too_many'] as const
export type UnscoredReason = (typeof unscoredReasons)[number]

/**
 * The score of a caller's post: the returns in the 60 minutes after the anchor (the first price used). The
 * score is published when these 60 minutes are over. A caller has at most one score per token and per 48 h
 * observation of that token. If `unscored` is set, all measured fields are null.
 */
const callScored = recordOf('CallScored', [
  { name: 'postedAtMs', type: epochMs },
  { name: 'chat', type: 'string' },
  { name: 'post', type: 'long' },
  { name: 'chatName', type: nullable('string') },
  { name: 'poster', type: 'string' },
  { name: 'tokenCount', type: 'int', doc: 'tokens that the post names' },
  { name: 'unscored', type: nullable(enumOf('UnscoredReason', unscoredReasons)) },
  { name: 'market', type: nullable(marketId) },
  { name: 'anchorAtMs', type: nullable(epochMs) },
  { name: 'anchorPx', type: nullable('double'), doc: 'coin per raw token unit' },
  { name: 'ret1', type: nullable('double') },
  { name: 'ret5', type: nullable('double') },
  { name: 'ret15', type: nullable('double') },
  { name: 'ret60', type: nullable('double') },
  { name: 'mfe', type: nullable('double'), doc: 'highest price / anchor - 1, at least 0' },
  { name: 'mae', type: nullable('double'), doc: 'lowest price / anchor - 1, at most 0' },
  { name: 'isWin35', type: nullable('boolean'), doc: '+35 % before -20 %' },
  {
    name: 'ruggedAtMs',
    type: nullable(epochMs),
    default: null,
    doc: 'when the liquidity of the anchor’s market was pulled, if within the 60 minutes',
  },
  {
    name: 'isAsked',
    type: 'boolean',
    default: false,
    doc: 'measured from prices that were asked for; false: from the trades of the log',
  },
])

/** Signs that a call may have been prepared. API answers contain these names. */
export const precallFlags = ['run', 'young', 'cluster'] as const
export type PrecallFlag = (typeof precallFlags)[number]

/**
 * The trades on chain A before the first post of a call. The record is published as soon as block time is
 * later than the post.
 */
const precall = recordOf('Precall', [
  { name: 'postedAtMs', type: epochMs },
  { name: 'isTracked', type: 'boolean' },
  { name: 'market', type: nullable(marketId) },
  { name: 'buys', type: 'int', doc: 'in the 10 min before the post; 0 if not tracked' },
  { name: 'buyWei', type: wei },
  { name: 'sameBlockMaxTx', type: 'int' },
  { name: 'run60', type: nullable('double'), doc: 'price at the post / price an hour before' },
  { name: 'ageAtCallMs', type: nullable(durationMs) },
  { name: 'chg1h0', type: nullable('double'), doc: 'of an external provider; null if tracked' },
  { name: 'flags', type: arrayOf(enumOf('PrecallFlag', precallFlags)), doc: 'those known without wallets' },
])

/**
 * Requests a lookup on chain A: who sent these transactions? `txHashes` lists the transactions with the buys
 * before the post.
 */
const precallSendersAsked = recordOf('PrecallSendersAsked', [
  { name: 'questionId', type: 'string', doc: 'precall:token:postedAtMs' },
  { name: 'revision', type: 'int' },
  { name: 'atMs', type: epochMs, doc: 'the post' },
  { name: 'txHashes', type: arrayOf(txHash) },
])

/** The wallets that bought on chain A before the post. `wallets` and `sameBlockWallets` are null if the lookup failed. */
const precallBuyers = recordOf('PrecallBuyers', [
  { name: 'postedAtMs', type: epochMs },
  { name: 'wallets', type: nullable('int') },
  { name: 'sameBlockWallets', type: nullable('int') },
  { name: 'walletList', type: arrayOf(address), doc: 'at most 40, in order of their first buy' },
  { name: 'flags', type: arrayOf(enumOf('PrecallFlag', precallFlags)), doc: 'all that match' },
])

export const grades = ['A', 'B', 'C', 'D', 'F'] as const
export type Grade = (typeof grades)[number]

/**
 * The grade of the holder structure of a token, from the cards (token summaries) of scanner bots. It uses the
 * most cautious value of each reading on the cards of the last 48 hours. Each card publishes a new version of
 * the row. `gradedSinceMs` is the time of the row's first card. The row ends after 48 hours without a card.
 */
const scannerGrade = recordOf('ScannerGrade', [
  { name: 'gradedSinceMs', type: epochMs },
  { name: 'lastCardAtMs', type: epochMs },
  { name: 'grade', type: enumOf('Grade', grades) },
  { name: 'score', type: 'double', doc: '100 minus all penalties, at least 0' },
  ...cardReadings,
  {
    name: 'penalties',
    type: arrayOf(
      recordOf('Penalty', [
        { name: 'field', type: 'string' },
        { name: 'value', type: 'double' },
        { name: 'limit', type: 'double' },
        { name: 'points', type: 'double' },
      ]),
    ),
  },
  { name: 'bots', type: arrayOf('string'), doc: 'whose cards count, by name' },
  { name: 'cards', type: 'int' },
])

/** The schemas of the derived records about calls that every chain has. */
export const callDerivedSchemas = {
  Call: call,
  PriceAsked: priceAsked,
  CallScored: callScored,
  ScannerGrade: scannerGrade,
} as const

/** The schemas of the derived records about calls that only chain A has. */
export const precallDerivedSchemas = {
  Precall: precall,
  PrecallSendersAsked: precallSendersAsked,
  PrecallBuyers: precallBuyers,
} as const

export type Call = AvroValue<typeof call>
export type PriceAsked = AvroValue<typeof priceAsked>
export type CallScored = AvroValue<typeof callScored>
export type Precall = AvroValue<typeof precall>
export type PrecallBuyers = AvroValue<typeof precallBuyers>
export type ScannerGrade = AvroValue<typeof scannerGrade>
