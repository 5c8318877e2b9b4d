/** Which posts are signals: the first one of a token in 48 hours, and those that bring further chats soon after it. */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'

/** `chats` are distinct, at most as many as a lane asks for. */
export type CallWatch = { readonly fromMs: number; readonly chats: string[] }

export const watchEndMs = ({ fromMs }: CallWatch, { watchMs }: Pick<DeskRules, 'watchMs'>): number => fromMs + watchMs

/** A call that the desk can act on. `chats`: how many have named the token with it. */
export type CallSignal = Readonly<{ atMs: number; chats: number }>

/**
 * When the desk could know of the post: not when ingest had it, but when it was known of which token it is, which takes some
 * seconds for a launch. Null: it is no signal, or nobody knew it in time.
 */
function signalAtMs(mention: Mentioned, { knownWithinMs }: Pick<DeskRules, 'knownWithinMs'>): number | null {
  const { kind, isLate, hasCode, postedAtMs, answeredAtMs } = mention
  if (kind !== 'call' || isLate || hasCode === false || answeredAtMs - postedAtMs > knownWithinMs) return null
  return Math.max(postedAtMs, answeredAtMs)
}

/** `chatsMax`: calls of more chats are no signal of any lane. */
type SignalRules = Pick<DeskRules, 'watchMs' | 'knownWithinMs' | 'callWindowMs'> & Readonly<{ chatsMax: number }>

/** Null: the post is no signal. The watch is the token’s from now on. */
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
