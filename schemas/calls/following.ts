/**
 * Until when the markets of a called token are followed: see “Followed markets” in `rules.ts`. Ingest and stages reckon alike, by
 * what mentions say alone, so neither believes in a market that the other has forgotten.
 */
import { afterWatchMs, followLeadMs, watchMsMax } from './retention.ts'

/**
 * Calls of a token that follow each other without a break: whatever of its markets lives when the first of them becomes known,
 * and for some time after, is followed until the end of the last. Both instants are Unix ms.
 */
type Following = Readonly<{ sinceMs: number; untilMs: number }>

/** The spans in which one token was followed, the oldest first. There is a break between two of them. */
export type Followings = readonly Following[]

type Call = Readonly<{ postedAtMs: number; answeredAtMs: number; isFollowed: boolean }>

export const followedUntilMs = (postedAtMs: number): number => postedAtMs + watchMsMax + afterWatchMs

/** Whether what becomes known then comes early enough to keep a market that would be forgotten. */
const isInTime = (knownAtMs: number, forgottenAtMs: number): boolean => knownAtMs + followLeadMs <= forgottenAtMs

/** With one more mention of kind `call`. Mentions may come in any order, and twice. */
export function withCall(followings: Followings, { postedAtMs, answeredAtMs, isFollowed }: Call): Followings {
  if (!isFollowed) return followings
  const added = { sinceMs: answeredAtMs, untilMs: followedUntilMs(postedAtMs) }
  // It became known so late that what it could keep lives longer by itself.
  if (!isInTime(added.sinceMs, added.untilMs)) return followings
  const joined: Following[] = []
  for (const next of [...followings, added].sort((one, other) => one.sinceMs - other.sinceMs)) {
    const last = joined.at(-1)
    if (last === undefined || !isInTime(next.sinceMs, last.untilMs)) joined.push(next)
    else joined[joined.length - 1] = { sinceMs: last.sinceMs, untilMs: Math.max(last.untilMs, next.untilMs) }
  }
  return joined
}

/** When a market of the token is forgotten that would be forgotten at `ownMs` if nobody had called it. */
export function forgottenAtMs(ownMs: number, followings: Followings): number {
  let atMs = ownMs
  for (const { sinceMs, untilMs } of followings) if (isInTime(sinceMs, atMs)) atMs = Math.max(atMs, untilMs)
  return atMs
}

/** Whether a call keeps markets of the token at the instant. */
export const isFollowedAt = (followings: Followings, atMs: number): boolean =>
  followings.some(({ untilMs }) => untilMs > atMs)

/** Without those that ended before the instant. */
export const followingsAfter = (followings: Followings, atMs: number): Followings =>
  followings.filter(({ untilMs }) => untilMs >= atMs)
