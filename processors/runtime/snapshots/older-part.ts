/** Reads the parts of snapshots that older versions of the service wrote. */
import { statesFrom } from '../state-packer.ts'
import type { TokenSnapshot } from '../token-entry.ts'

type OlderToken = Omit<TokenSnapshot, 'packed' | 'serialized' | 'timers'> &
  Readonly<{
    packed?: string | null
    /** The times of the timers of each processor. */
    dueAtMs: readonly (readonly number[])[]
    /** The states of this token alone, as a string in which each character is one byte. */
    serialized?: string | null
    /** The index of the token's text in the part, and the place of its states in the text. */
    text?: number
    at?: number
  }>

/** The deserialized value of a part. In the oldest versions it is a list of tokens, and a token may have a string of its own. */
export type OlderPart = Readonly<{ tokens: readonly OlderToken[]; texts: readonly string[] }> | readonly OlderToken[]

export function tokensOfOlder(part: OlderPart): readonly TokenSnapshot[] {
  const [tokens, texts] = 'texts' in part ? [part.tokens, part.texts] : [part, []]
  const groups = texts.map((text) => ({ bytes: bytesOf(text), tokens: [] as string[] }))
  return tokens.map(
    ({ token, states, packed = null, serialized: own = null, dueAtMs, text = -1, at = 0, touchedBlock }) => {
      const timers = dueAtMs.flatMap((times, processorIndex) => times.flatMap((time) => [time, processorIndex]))
      const serialized = groups[text] ?? null
      if (serialized !== null) serialized.tokens[at] = token
      const opened = own === null ? states : (statesFrom(bytesOf(own)) as unknown[])
      return { token, states: opened, packed, serialized, timers, touchedBlock }
    },
  )
}

/** A buffer that is made from a short text may share its memory with others, so the bytes are copied. */
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
