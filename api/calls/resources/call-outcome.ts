/** What became of a call. */
import { z } from 'zod'
import type { CallRow } from '../../../projections/calls/queries/calls-views.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs } from '../../values.ts'
import { type CallPresentation, isPublic, privateChatsOf } from './call.ts'
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

const hourMs = 3_600_000
const ret = z.number().nullable()

const { signal, outcome, now, resource } = fieldsOf<CallRow, CallPresentation>()

export const callOutcome = resource('callOutcome', {
  callId: signal(callIdSchema, 'Names the call for good; dedupe on it.', ({ chain, token, calledAtMs }) =>
    callIdOf(chain, token, calledAtMs),
  ),
  chain: signal(z.string(), 'Name of the chain.', ({ chain }, { wireNameOf }) => wireNameOf(chain)),
  mint: signal(mintSchema, 'Token address.', ({ token }) => token),
  calledAt: signal(epochMs, 'Time of the first post.', ({ calledAtMs }) => calledAtMs),
  ageH: now(z.number().min(0).nullable(), 'Hours from the call to the rebuild.', ({ calledAtMs, clockMs }) =>
    Math.max(0, (clockMs - calledAtMs) / hourMs),
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
    'price 1 hour after the call / price at the call - 1; null until then, or if not readable.',
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
  dead: outcome(z.boolean(), 'Three hours of samples without a price.', ({ isDead }) => isDead),
  recalls: now(count, 'Posts after the first one.', ({ recalls }) => recalls),
  knownAt: now(epochMs, 'When the log knew the version shown.', ({ knownAtMs }) => knownAtMs),
})

export const callOutcomeMethod = {
  call: 'One row per token and 48 hours from its first post in a followed chat; later posts of any chat are recalls. Deleted posts stay.',
  ret: 'price / price at the call - 1, without costs, from the service’s own series sampled every 10 minutes: the price of the deepest market at the call, or that of an external provider where the service knows none. A sample that could not be read is left out.',
  dead: '18 samples in a row without a price: from then on the token counts as worthless, and returns that are reached later are -1.',
  window:
    'First posts of the last `hours` before rebuiltAt that are at least an hour old, newest first. With `hours=48` also those whose 48 hours ended since the rebuild before (after an outage, since the last one that was sold before it): they are done. Rebuilt for each whole hour.',
  privacy: 'Public chats are named. Callers and chats are keyed hashes, and no text of a post is shown.',
} as const

export const callOutcomeMethodSchema = z.strictObject({
  call: z.string(),
  ret: z.string(),
  dead: z.string(),
  window: z.string(),
  privacy: z.string(),
})
