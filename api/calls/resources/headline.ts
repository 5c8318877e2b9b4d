/** One line of text for a person about a new call. A call is a token that was named in a chat. */
import type { Call } from '../../../schemas/calls/derived.ts'
import type { EpochMs } from '../../../schemas/units.ts'

/** Returns null for a later version of a call, because only the first version is news. */
export function callHeadline(token: string, call: Call): Readonly<{ atMs: EpochMs; text: string }> | null {
  if (!call.isFirst) return null
  const name = call.chats[0]?.chatName ?? null
  const short = `${token.slice(0, 8)}…${token.slice(-4)}`
  return { atMs: call.calledAtMs, text: `call   ${short}  in ${name === null ? 'a private chat' : `@${name}`}` }
}
