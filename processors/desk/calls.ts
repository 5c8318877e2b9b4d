/** Which posts are signals: the first one of a token in 48 hours, and those that bring further chats soon after it. */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import { callRules } from '../../schemas/calls/rules.ts'
import { deskRules } from '../../schemas/desk/rules.ts'

/** `chats` are distinct, at most as many as a lane asks for. */
export type CallWatch = { readonly fromMs: number; readonly chats: string[] }

export const watchEndMs = ({ fromMs }: CallWatch): number => fromMs + callRules.watchMs

/** A call that the desk can act on. `chats`: how many have named the token with it. */
export type CallSignal = Readonly<{ atMs: number; chats: number }>

/**
 * When the desk could know of the post: not when ingest had it, but when it was known of which token it is, which takes some
 * seconds for a launch. Null: it is no signal, or nobody knew it in time.
 */
function signalAtMs({ kind, isLate, hasCode, postedAtMs, answeredAtMs }: Mentioned): number | null {
  if (kind !== 'call' || isLate || hasCode === false || answeredAtMs - postedAtMs > deskRules.knownWithinMs) return null
  return Math.max(postedAtMs, answeredAtMs)
}

/** Null: the post is no signal. The watch is the token’s from now on. */
export function takeMention(
  watch: CallWatch | null,
  mention: Mentioned,
  chatsMax: number,
): Readonly<{ watch: CallWatch; signal: CallSignal }> | null {
  const atMs = signalAtMs(mention)
  if (atMs === null) return null
  if (watch === null || atMs >= watchEndMs(watch))
    return { watch: { fromMs: atMs, chats: [mention.chat] }, signal: { atMs, chats: 1 } }
  const { fromMs, chats } = watch
  if (chats.includes(mention.chat) || chats.length >= chatsMax || atMs > fromMs + deskRules.callWindowMs) return null
  chats.push(mention.chat)
  return { watch, signal: { atMs, chats: chats.length } }
}
