/**
 * Computes how long the markets of a called token are followed (see "Followed markets" in `rules.ts`). Ingest
 * and the stages compute this only from the posts that name the token, so both keep the same markets.
 */

import type { EpochMs } from '../units.ts'
import { afterWatchMs, followLeadMs, watchMsMax } from './retention.ts'

/**
 * A series of calls of a token without a break. `sinceMs` is the time when the first call became known.
 * `untilMs` is the time when the last call ends. Without the calls, a market is forgotten at some time. If
 * that time is at least `followLeadMs` after `sinceMs`, the market is kept until `untilMs`.
 */
type Following = Readonly<{ sinceMs: EpochMs; untilMs: EpochMs }>

/**
 * The spans in which a token was followed, oldest first. A new call extends a span if the call becomes known
 * early enough before the end of the span (`isInTime`).
 */
export type Followings = readonly Following[]

type Call = Readonly<{ postedAtMs: EpochMs; answeredAtMs: EpochMs; isFollowed: boolean }>

export const followedUntilMs = (postedAtMs: EpochMs): EpochMs => postedAtMs + watchMsMax + afterWatchMs

/**
 * Returns whether a call became known early enough to keep a market. The market would otherwise be forgotten
 * at `forgottenAtMs`.
 */
const isInTime = (knownAtMs: EpochMs, forgottenAtMs: EpochMs): boolean => knownAtMs + followLeadMs <= forgottenAtMs

/**
 * Adds one call to the spans and returns the result. Calls may come in any order, and the same call may come
 * several times.
 */
export function withCall(followings: Followings, { postedAtMs, answeredAtMs, isFollowed }: Call): Followings {
  if (!isFollowed) return followings
  const added = { sinceMs: answeredAtMs, untilMs: followedUntilMs(postedAtMs) }
  // The call became known too late to keep a market.
  if (!isInTime(added.sinceMs, added.untilMs)) return followings
  const joined: Following[] = []
  for (const next of [...followings, added].sort((one, other) => one.sinceMs - other.sinceMs)) {
    const last = joined.at(-1)
    if (last === undefined || !isInTime(next.sinceMs, last.untilMs)) joined.push(next)
    else joined[joined.length - 1] = { sinceMs: last.sinceMs, untilMs: Math.max(last.untilMs, next.untilMs) }
  }
  return joined
}

/**
 * Returns the time when a market of the token is forgotten. `ownMs` is the time when the market would be
 * forgotten without calls.
 */
export function forgottenAtMs(ownMs: EpochMs, followings: Followings): EpochMs {
  let atMs = ownMs
  for (const { sinceMs, untilMs } of followings) if (isInTime(sinceMs, atMs)) atMs = Math.max(atMs, untilMs)
  return atMs
}

/** Returns whether a call keeps markets of the token at the time `atMs`. */
export const isFollowedAt = (followings: Followings, atMs: EpochMs): boolean =>
  followings.some(({ untilMs }) => untilMs > atMs)

/** Returns the spans without those that ended before `atMs`. */
export const followingsAfter = (followings: Followings, atMs: EpochMs): Followings =>
  followings.filter(({ untilMs }) => untilMs >= atMs)
