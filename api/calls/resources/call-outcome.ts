/** A call with its outcome: the returns of the token in the 48 hours after the first post. */

import { z } from 'zod'
import { callerIdOf, chatIdOf, chatNameOf } from '../../../infra/public-ids.ts'
import type { CallRow } from '../../../projections/calls/queries/calls-queries.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { hourMs } from '../../../schemas/units.ts'
import { fieldsOf } from '../../resource.ts'
import { gapsField } from '../../trade-gaps.ts'
import { count, epochMs } from '../../values.ts'
import type { CalledChain } from '../parts.ts'
import { askedPricesText, everySample } from './asked-prices.ts'
import { type CallPresentation, ifAsked, isPublic, privateChatsOf } from './call.ts'
import { callIdOf, callIdSchema, chatNameSchema, hashedIdSchema, mintSchema } from './identifiers.ts'
import { deadReads, pulled } from './worthless.ts'

const ret = z.number().nullable()

const { signal, outcome, now, resource } = fieldsOf<CallRow, CallPresentation>()

export const callOutcome = resource('callOutcome', {
  callId: signal(callIdSchema, 'Names the call for good; dedupe on it.', ({ chain, token, calledAtMs }, { chainOf }) =>
    callIdOf(chainOf(chain), token, calledAtMs),
  ),
  chain: signal(z.string(), 'Name of the chain.', ({ chain }, { chainOf }) => chainOf(chain).wireName),
  mint: signal(mintSchema, 'Token address.', ({ token }) => token),
  calledAt: signal(epochMs, 'Time of the first post.', ({ calledAtMs }) => calledAtMs),
  ageH: now(z.number().min(0).nullable(), 'Hours from the call to generatedAt.', ({ calledAtMs }, { atMs }) =>
    Math.max(0, (atMs - calledAtMs) / hourMs),
  ),
  done: now(z.boolean(), 'The 48 hours of the watch are over.', ({ isDone }) => isDone),
  callers: now(z.array(hashedIdSchema), 'Keyed hashes of the callers, of all chats.', ({ chats }, { callerIdSecret }) =>
    chats.flatMap(({ chat, posters }) => posters.map((poster) => callerIdOf(chat, poster, callerIdSecret))),
  ),
  chatIds: now(z.array(hashedIdSchema), 'Keyed hashes of the chats, in the order of their first posts.', (row, how) =>
    row.chats.map(({ chat }) => chatIdOf(chat, how.callerIdSecret)),
  ),
  chats: now(z.array(chatNameSchema), 'Names of the public ones.', ({ chats }) =>
    chats.filter(isPublic).map(({ chatName }) => chatNameOf(chatName)),
  ),
  nChats: now(count, 'Chats that named the token.', ({ chats }) => chats.length),
  nPrivateChats: now(count, 'Of these, private ones.', (row) => privateChatsOf(row).length),
  ret1h: outcome(
    ret,
    'price 1 hour after the call / price at the call - 1; null until then, or if nobody told a price. -1 once rugged or dead.',
    (row) => row.ret1h,
  ),
  ret4h: outcome(ret, 'The same after 4 hours.', (row) => row.ret4h),
  ret12h: outcome(ret, 'The same after 12 hours.', (row) => row.ret12h),
  ret24h: outcome(ret, 'The same after 24 hours.', (row) => row.ret24h),
  ret48h: outcome(ret, 'The same after 48 hours.', (row) => row.ret48h),
  maxRet: outcome(ret, 'The highest sample so far.', ({ maxRet }) => maxRet),
  maxAtH: outcome(ret, 'Hours after the call at which it was.', ({ maxAtMs, calledAtMs }) =>
    maxAtMs === null ? null : (maxAtMs - calledAtMs) / hourMs,
  ),
  dipBeforeMax: outcome(ret, 'The lowest sample up to the highest one.', ({ dipBeforeMax }) => dipBeforeMax),
  dead: outcome(z.boolean(), 'Three hours of failed reads: the token has no price.', ({ isDead }) => isDead),
  rugged: outcome(
    z.boolean(),
    'The liquidity of the market that prices the call was pulled: later returns are -1.',
    ({ ruggedAtMs }) => ruggedAtMs !== null,
  ),
  ruggedAtH: outcome(ret, 'Hours after the call at which it was pulled; null: it was not.', (row) =>
    row.ruggedAtMs === null ? null : (row.ruggedAtMs - row.calledAtMs) / hourMs,
  ),
  recalls: now(count, 'Posts after the first one.', ({ recalls }) => recalls),
  ...gapsField(
    'all markets of the token between the price at the call and rebuiltAt, or the last sample if it is later, within the 48 hours',
    ifAsked,
  ),
  knownAt: now(epochMs, 'When the log knew the version shown.', ({ knownAtMs }) => knownAtMs),
})

export const callOutcomeMethodSchema = z.strictObject({
  call: z.string(),
  ret: z.string(),
  rugged: z.string(),
  dead: z.string(),
  prices: z.string(),
  window: z.string(),
  privacy: z.string(),
})

export const callOutcomeMethodOf = (chains: readonly CalledChain[]): z.output<typeof callOutcomeMethodSchema> => ({
  call: 'One row per token and 48 hours from its first post in a followed chat; later posts of any chat are recalls. Deleted posts stay.',
  ret: `price / price at the call - 1, without costs, from the service’s own series sampled every 10 minutes. The price at the call is that of the deepest market in force ${callRules.anchorDelayMs / 1000} s after the post, or the first up to ${callRules.anchorLimitMs / 1000} s after it; this market prices all samples, and a complete curve goes on in its own pool. Where there is none, prices are asked for. A sample that nobody priced is left out.`,
  rugged: `${pulled} From then on it is worth 0: every return that is reached later is -1, whatever is added, opened or refilled. maxRet, maxAtH and dipBeforeMax are of samples.`,
  dead: `${deadReads} failed reads without a price among them, which are three hours: a read fails where whoever was asked says that the token has no price, or tells one in another unit than that of the call. From then on a price is asked for once an hour. Returns that are reached while the token is dead are -1, and so are those at the failed reads that made it so. A price ends it, and later returns are of prices again; those of -1 stand.`,
  prices: askedPricesText(chains, everySample),
  window:
    'First posts of the last `hours` before rebuiltAt that are at least an hour old, newest first. With `hours=48` also those whose 48 hours ended since the rebuild before (after an outage, since the last one that was sold before it): they are done. Rebuilt for each whole hour. A row whose time missing trades touch says so in `gaps`, as far as its prices are those of followed markets.',
  privacy: 'Public chats are named. Callers and chats are keyed hashes, and no text of a post is shown.',
})
