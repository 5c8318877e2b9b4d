/** A token that was named in followed chats. */
import { z } from 'zod'
import type { CallRow } from '../../../projections/calls/queries/calls-views.ts'
import type { CallStage } from '../../../schemas/calls/derived.ts'
import { priceSources } from '../../../schemas/calls/facts.ts'
import { callRules, untrackedLimits } from '../../../schemas/calls/rules.ts'
import { minutesBetween } from '../../durations.ts'
import { publishedFields } from '../../published.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs } from '../../values.ts'
import { type CallPresentation, isPublic, postsIn, privateChatsOf } from './call.ts'
import {
  callerIdOf,
  callIdOf,
  callIdSchema,
  chatIdOf,
  chatNameOf,
  chatNameSchema,
  hashedIdSchema,
  mintSchema,
} from './identifiers.ts'

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

const callPrice = z.strictObject({
  t: epochMs,
  px: z.number().nullable(),
  mcapUsd: z.number().nullable(),
  pxSrc: z.enum(priceSources),
})

const marketCapUsdOf = ({ anchorMcapUsd, anchorMcapCoin, coinUsd }: CallRow): number | null => {
  if (anchorMcapUsd !== null) return anchorMcapUsd
  return anchorMcapCoin === null || coinUsd === null ? null : anchorMcapCoin * coinUsd
}

const { signal, now, resource } = fieldsOf<CallRow, CallPresentation>()

export const liveCall = resource('liveCall', {
  callId: signal(callIdSchema, 'Names the call for good; dedupe on it.', ({ chain, token, calledAtMs }) =>
    callIdOf(chain, token, calledAtMs),
  ),
  chain: signal(z.string(), 'Name of the chain.', ({ chain }, { wireNameOf }) => wireNameOf(chain)),
  mint: signal(mintSchema, 'Token address.', ({ token }) => token),
  calledAt: signal(epochMs, 'Time of the first post, as the chat platform has it.', ({ calledAtMs }) => calledAtMs),
  firstSeenAt: signal(epochMs, 'When this service had read that post.', ({ firstSeenAtMs }) => firstSeenAtMs),
  late: signal(
    z.boolean(),
    'The first post was read after a gap: nobody knew it here at the time.',
    (row) => row.isLate,
  ),
  minAgo: now(z.number().min(0).nullable(), 'Minutes since the first post.', ({ calledAtMs, clockMs }) =>
    Math.max(0, minutesBetween(calledAtMs, clockMs)),
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
    'The price at the call: its instant, the price (coin per raw token unit; USD per token of an aggregator), market capitalisation (of a price in coin at what the coin costs now), and where it was read; null until one is known.',
    (row) => {
      const { anchorAtMs, anchorPx, anchorSource } = row
      if (anchorAtMs === null || anchorSource === null) return null
      return { t: anchorAtMs, px: anchorPx, mcapUsd: marketCapUsdOf(row), pxSrc: anchorSource }
    },
  ),
  moveSince: now(
    z.number().nullable(),
    'price at the last sample / price at the call - 1; null before the first sample.',
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
  ...publishedFields('the version shown'),
})

export const liveCallMethod = {
  call: 'One row per token and 48 hours from its first post in a followed chat. Later posts of any chat add to its counts. Posts that tell how an earlier call went begin none, nor do cards of scanner bots.',
  atCall: `The price in force ${callRules.anchorDelayMs / 1000} s after the first post, in the deepest market of the token; where there was none, the first price up to ${callRules.anchorLimitMs / 1000} s after the post; where the service knows none, that of an external provider, in its own unit. All moves of a call are of one unit.`,
  untracked: `A token that is on no curve or pool that the service tracks is left out where a chat named ${untrackedLimits.ofChat} others of that kind in the same hour, or the poster ${untrackedLimits.ofPoster}.`,
  moves: 'Sampled every 10 minutes for 48 hours, without costs.',
  privacy:
    'Public chats are named. Private chats appear in counts only. Callers and chats are keyed hashes, and no text of a post is shown.',
} as const

export const liveCallMethodSchema = z.strictObject({
  call: z.string(),
  atCall: z.string(),
  untracked: z.string(),
  moves: z.string(),
  privacy: z.string(),
})
