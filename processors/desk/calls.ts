/** Decides which posts are signals: the first post of a token in 48 hours, and posts in further chats soon after the first post. */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'
import type { EpochMs } from '../../schemas/units.ts'

/** `chats` are the distinct chats that have named the token since `fromMs`, at most `chatsMax`. */
export type CallWatch = { readonly fromMs: EpochMs; readonly chats: string[] }

export const watchEndMs = ({ fromMs }: CallWatch, { watchMs }: Pick<DeskRules, 'watchMs'>): EpochMs => fromMs + watchMs

/** A call on which the desk can act. `chats` is the number of chats that have named the token, including this call's chat. */
export type CallSignal = Readonly<{ atMs: EpochMs; chats: number }>

/**
 * Returns the time at which the desk could know the post. This is the time at which the token of the post was
 * identified. Right after a launch, the identification takes some seconds. Returns null if the post is no
 * signal, or if it was known too late.
 */
function signalAtMs(mention: Mentioned, { knownWithinMs }: Pick<DeskRules, 'knownWithinMs'>): EpochMs | null {
  const { kind, isLate, hasCode, postedAtMs, answeredAtMs } = mention
  if (kind !== 'call' || isLate || hasCode === false || answeredAtMs - postedAtMs > knownWithinMs) return null
  return Math.max(postedAtMs, answeredAtMs)
}

/** `chatsMax`: the largest number of chats at which a lane acts on a call. */
type SignalRules = Pick<DeskRules, 'watchMs' | 'knownWithinMs' | 'callWindowMs'> & Readonly<{ chatsMax: number }>

/** Returns the new watch of the token and the signal. Returns null if the post is no signal. */
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
