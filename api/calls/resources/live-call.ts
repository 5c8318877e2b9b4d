/** A live call: a token that was named in posts of followed chats. */
import { z } from 'zod'
import { callerIdOf, chatIdOf, chatNameOf } from '../../../infra/public-ids.ts'
import type { CallRow } from '../../../projections/calls/queries/calls-queries.ts'
import type { CallStage } from '../../../schemas/calls/derived.ts'
import { callRules, namingLimits } from '../../../schemas/calls/rules.ts'
import { minutesBetween } from '../../durations.ts'
import { publishedFields } from '../../published.ts'
import { fieldsOf } from '../../resource.ts'
import { gapsField } from '../../trade-gaps.ts'
import { count, epochMs } from '../../values.ts'
import type { CalledChain } from '../parts.ts'
import { askedPricesText, askedSuffix, everySample } from './asked-prices.ts'
import { type CallPresentation, ifAsked, isPublic, postsIn, privateChatsOf } from './call.ts'
import { callIdOf, callIdSchema, chatNameSchema, hashedIdSchema, mintSchema } from './identifiers.ts'
import { deadReads, pulled } from './worthless.ts'

const stageTexts: Readonly<Record<CallStage, string>> = {
  curve_0_25: 'curve-0-25',
  curve_25_55: 'curve-25-55',
  curve_55_100: 'curve-55-100',
  pool_under_1h: 'pool-<1h',
  pool_1_6h: 'pool-1-6h',
  pool_6_24h: 'pool-6-24h',
  pool_over_24h: 'pool->24h',
}

const liveChat = z.strictObject({
  chat: chatNameSchema,
  chatId: hashedIdSchema,
  firstAt: epochMs,
  posts: count,
  callers: z.array(hashedIdSchema),
})

type PriceSource = NonNullable<CallRow['anchorSource']>

const loggedSources = ['curve', 'pool'] as const
const askedSources = [...loggedSources, 'aggregator'].map((source) => `${source}-${askedSuffix}`)

/**
 * A price aggregator gives prices only on request, so the source `aggregator` always has the suffix
 * `askedSuffix`.
 */
const priceSourceOf = (source: PriceSource, isAsked: boolean): string =>
  isAsked || source === 'aggregator' ? `${source}-${askedSuffix}` : source

const callPrice = z.strictObject({
  t: epochMs,
  px: z.number().nullable(),
  mcapUsd: z.number().nullable(),
  pxSrc: z.enum([...loggedSources, ...askedSources]),
})

const marketCapUsdOf = ({ anchorMcapUsd, anchorMcapCoin, coinUsd }: CallRow): number | null => {
  if (anchorMcapUsd !== null) return anchorMcapUsd
  return anchorMcapCoin === null || coinUsd === null ? null : anchorMcapCoin * coinUsd
}

const { signal, now, resource } = fieldsOf<CallRow, CallPresentation>()

export const liveCall = resource('liveCall', {
  callId: signal(callIdSchema, 'Names the call for good; dedupe on it.', ({ chain, token, calledAtMs }, { chainOf }) =>
    callIdOf(chainOf(chain), token, calledAtMs),
  ),
  chain: signal(
    z.string().optional(),
    'Name of the chain. Absent: the chain’s node has no contract at the address, so it may be on any other chain. Such a call has no price, no outcome and no score.',
    ({ chain, hasCode }, { chainOf }) => (hasCode === false ? undefined : chainOf(chain).wireName),
  ),
  mint: signal(mintSchema, 'Token address.', ({ token }) => token),
  calledAt: signal(epochMs, 'Time of the first post, as the chat platform has it.', ({ calledAtMs }) => calledAtMs),
  firstSeenAt: signal(epochMs, 'When this service had read that post.', ({ firstSeenAtMs }) => firstSeenAtMs),
  late: signal(
    z.boolean(),
    'The first post was read after a gap: nobody knew it here at the time.',
    (row) => row.isLate,
  ),
  minAgo: now(z.number().min(0).nullable(), 'Minutes from the first post to generatedAt.', ({ calledAtMs }, { atMs }) =>
    Math.max(0, minutesBetween(calledAtMs, atMs)),
  ),
  nChats: now(count, 'Chats that named the token.', ({ chats }) => chats.length),
  nPublicChats: now(count, 'Of these, public ones.', ({ chats }) => chats.filter(isPublic).length),
  nPrivateChats: now(count, 'Of these, private ones: they appear in counts only.', (row) => privateChatsOf(row).length),
  chats: now(
    z.array(liveChat),
    'The public chats in the order of their first posts: name, hashed id, time of the first post, posts, hashed ids of the callers.',
    ({ chats }, { callerIdSecret }) =>
      chats.filter(isPublic).map(({ chat, chatName, firstAtMs, posts, posters }) => ({
        ...{ chat: chatNameOf(chatName), chatId: chatIdOf(chat, callerIdSecret), firstAt: firstAtMs, posts },
        callers: posters.map((poster) => callerIdOf(chat, poster, callerIdSecret)),
      })),
  ),
  nPosts: now(count, 'Posts that named the token, in all chats.', ({ chats }) => postsIn(chats)),
  nPrivatePosts: now(count, 'Of these, in private chats.', (row) => postsIn(privateChatsOf(row))),
  atCall: now(
    callPrice.nullable(),
    'The price at the call: its instant, the price (coin per raw token unit; USD per token of an aggregator), market capitalisation (of a price in coin at what the coin costs now), and its source `pxSrc`: `curve` or `pool` where it is that of a market that the service follows; `curve-asked-10m` or `pool-asked-10m` where it was read at the chain’s node, `aggregator-asked-10m` where an external provider told it, and further prices are asked for every 10 minutes only. Null until a price is known.',
    (row) => {
      const { anchorAtMs, anchorPx, anchorSource, anchorIsAsked } = row
      if (anchorAtMs === null || anchorSource === null) return null
      return {
        t: anchorAtMs,
        px: anchorPx,
        mcapUsd: marketCapUsdOf(row),
        pxSrc: priceSourceOf(anchorSource, anchorIsAsked === true),
      }
    },
  ),
  moveSince: now(
    z.number().nullable(),
    'price at the last sample / price at the call - 1; null before the first sample, and -1 once rugged, or while the token is dead.',
    (row) => row.lastRet,
  ),
  maxSince: now(z.number().nullable(), 'The highest of all samples so far.', ({ maxRet }) => maxRet),
  lastSampleAt: now(epochMs.nullable(), 'When the price was sampled last.', ({ lastSampleAtMs }) => lastSampleAtMs),
  stage: signal(
    z.enum(Object.values(stageTexts)).nullable(),
    'Where the token stood at the first post: fill of its curve in percent, or age of its pool; null: not tracked.',
    ({ stage }) => (stage === null ? null : stageTexts[stage]),
  ),
  triggered: now(
    z.string().nullable(),
    'Tier of the first burst after the first post, `sol` on chain B; null: none so far.',
    (row) => row.triggered,
  ),
  rugged: now(
    z.boolean(),
    'The liquidity of the market of atCall was pulled: moveSince is -1 from then on.',
    ({ ruggedAtMs }) => ruggedAtMs !== null,
  ),
  ...gapsField('all markets of the token between the price at the call and the last sample', ifAsked),
  ...publishedFields('the version shown', 'now'),
})

export const liveCallMethodSchema = z.strictObject({
  call: z.string(),
  atCall: z.string(),
  leftOut: z.string(),
  moves: z.string(),
  prices: z.string(),
  privacy: z.string(),
})

const rugged = `${pulled} From then on moveSince is -1, whatever is added, opened or refilled later.`

export const liveCallMethodOf = (chains: readonly CalledChain[]): z.output<typeof liveCallMethodSchema> => ({
  call: 'One row per token and 48 hours from its first post in a followed chat. Later posts of any chat add to its counts. Posts that tell how an earlier call went begin none, nor do cards of scanner bots. Of an address of chain A that nothing but its form speaks for, the chain’s node is asked: without a contract there the call has no `chain` and no price, until a later post names a token that was launched there.',
  atCall: `The price in force ${callRules.anchorDelayMs / 1000} s after the first post, in the deepest market of the token; where there was none, the first price up to ${callRules.anchorLimitMs / 1000} s after the post; where there was none either, one that is asked for. \`t\` is its instant. All moves of a call are of one unit.`,
  leftOut: `Of different tokens that a chat names in an hour ${namingLimits.tracked.ofChat} are taken, and ${namingLimits.untracked.ofChat} of those on no curve or pool that the service tracks; of one poster ${namingLimits.tracked.ofPoster} and ${namingLimits.untracked.ofPoster}. Those beyond are left out.`,
  moves: `price / price at the call - 1, without costs, at the market of the price at the call, sampled every 10 minutes for 48 hours; a complete curve goes on in its own pool. ${rugged} It is -1 as well while the token is dead: after ${deadReads} failed reads without a price among them. A row whose time missing trades touch says so in \`gaps\`, as far as its prices are those of followed markets.`,
  prices: askedPricesText(chains, everySample),
  privacy:
    'Public chats are named. Private chats appear in counts only. Callers and chats are keyed hashes, and no text of a post is shown.',
})
