/**
 * Decides which posts are signals for the paper desk (simulated trading): the first post about a token in 48
 * hours, and posts in further chats soon after it.
 */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'
import type { EpochMs } from '../../schemas/units.ts'

/**
 * `chats` are the chats that have named the token since `fromMs`, each one time, at most `chatsMax` of them.
 */
export type CallWatch = { readonly fromMs: EpochMs; readonly chats: string[] }

export const watchEndMs = ({ fromMs }: CallWatch, { watchMs }: Pick<DeskRules, 'watchMs'>): EpochMs => fromMs + watchMs

/**
 * A post on which the desk may open a position. `chats` is the number of chats that have named the token,
 * including the chat of this post.
 */
export type CallSignal = Readonly<{ atMs: EpochMs; chats: number }>

/**
 * Returns the time at which the desk could react to the post: the time at which the service had identified
 * its token. Right after a launch, this takes some seconds. Returns null if the post is no signal, or if the
 * token was identified too late.
 */
function signalAtMs(mention: Mentioned, { knownWithinMs }: Pick<DeskRules, 'knownWithinMs'>): EpochMs | null {
  const { kind, isLate, hasCode, postedAtMs, answeredAtMs } = mention
  if (kind !== 'call' || isLate || hasCode === false || answeredAtMs - postedAtMs > knownWithinMs) return null
  return Math.max(postedAtMs, answeredAtMs)
}

/** `chatsMax`: the largest number of chats for which a lane (a set of trading rules) opens a position. */
type SignalRules = Pick<DeskRules, 'watchMs' | 'knownWithinMs' | 'callWindowMs'> & Readonly<{ chatsMax: number }>

/**
 * Returns the signal of a post, and the updated list of chats that have named the token. Returns null if the
 * post is no signal.
 */
export function takeMention(
  watch: CallWatch | null,
  mention: Mentioned,
  rules: SignalRules,
): Readonly<{ watch: CallWatch; signal: CallSignal }> | null {
  const atMs = signalAtMs(mention, rules)
  if (atMs === null) return null
  if (watch === null || atMs >= watchEndMs(watch, rules))
    return { watch: { fromMs: atMs, chats: [mention.chat] }, signal: { atMs, chats: 1 } }
  const { fromMs, chats } = watch
  if (chats.includes(mention.chat) || chats.length >= rules.chatsMax) return null
  if (atMs > fromMs + rules.callWindowMs) return null
  chats.push(mention.chat)
  return { watch, signal: { atMs, chats: chats.length } }
}
