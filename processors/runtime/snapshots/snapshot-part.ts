/** Converts the states of some tokens to a part of a snapshot, and back. */
import { type StatesText, stateBytesOf, statesFromText, textOfStates } from '../state-packer.ts'
import type { TokenSnapshot } from '../token-entry.ts'

/**
 * About the length of a text, in bytes. The states of a token are serialized alone if they are as long. Each text costs
 * about 6 µs apart from its bytes, which is more than small states need.
 */
const textBytes = 4096
const tokensPerTextMax = 64

/** A token of a part. `text` is the index of its text in the part, and `at` the place of its states in the text. */
type StoredToken = Omit<TokenSnapshot, 'serialized'> & Readonly<{ text?: number; at?: number }>

type Part = Readonly<{ tokens: readonly StoredToken[]; texts: readonly string[] }>

/** A token in a snapshot of an older version. It may have a string of its own. */
type OlderToken = Omit<TokenSnapshot, 'serialized'> & Readonly<{ serialized?: string | null }>

const noStates: readonly unknown[] = []

/** Collects tokens, and writes them as one part. */
export class PartWriter {
  #tokens: StoredToken[] = []
  #texts: string[] = []
  /** The indexes of the texts that were in a snapshot before and are written again as they are. */
  readonly #unopened = new Map<StatesText, number>()
  /** The states of the text that is collected. */
  #states: (readonly unknown[])[] = []
  #tokensPerText = 1

  /** Adds a token, and returns the number of tokens that the part has now. */
  add({ token, states, packed = null, serialized = null, dueAtMs, touchedBlock }: TokenSnapshot): number {
    // Literals without spreads take a fraction of the time.
    if (serialized !== null) {
      const text = this.#indexOf(serialized)
      const at = serialized.tokens.indexOf(token)
      return this.#tokens.push({ token, states: noStates, packed, dueAtMs, touchedBlock, text, at })
    }
    if (packed !== null) return this.#tokens.push({ token, states, packed, dueAtMs, touchedBlock })
    const text = this.#texts.length
    const at = this.#states.push(states) - 1
    const count = this.#tokens.push({ token, states: noStates, packed, dueAtMs, touchedBlock, text, at })
    if (this.#states.length >= this.#tokensPerText) this.#closeText()
    return count
  }

  /** Returns the bytes of the part, and begins the next one. */
  take(): Buffer {
    if (this.#states.length > 0) this.#closeText()
    const bytes = stateBytesOf({ tokens: this.#tokens, texts: this.#texts } satisfies Part)
    this.#tokens = []
    this.#texts = []
    this.#unopened.clear()
    return bytes
  }

  /** Returns the index of a text that is written again as it is. */
  #indexOf(serialized: StatesText): number {
    if (this.#states.length > 0) this.#closeText()
    const text = this.#unopened.get(serialized) ?? this.#texts.push(serialized.text) - 1
    this.#unopened.set(serialized, text)
    return text
  }

  #closeText(): void {
    const text = textOfStates(this.#states)
    const bytesPerToken = text.length / this.#states.length
    this.#tokensPerText = Math.max(1, Math.min(tokensPerTextMax, Math.round(textBytes / bytesPerToken)))
    this.#texts.push(text)
    this.#states = []
  }
}

/** Returns the tokens of a part. Parts of older versions are lists of tokens. */
export function tokensOf(part: Part | readonly OlderToken[]): readonly TokenSnapshot[] {
  if (!('texts' in part)) return part.map(fromOlder)
  const texts = part.texts.map((text) => ({ text, tokens: [] as string[] }))
  return part.tokens.map((stored) => {
    const text = stored.text === undefined ? undefined : texts[stored.text]
    if (text === undefined || stored.at === undefined) return stored
    // Here too, a literal without spreads takes a fraction of the time.
    const { token, states, packed = null, dueAtMs, touchedBlock } = stored
    text.tokens[stored.at] = token
    return { token, states, packed, serialized: text, dueAtMs, touchedBlock }
  })
}

/** In older versions, a string has the states of one token. */
const fromOlder = ({ serialized = null, ...token }: OlderToken): TokenSnapshot =>
  serialized === null ? token : { ...token, states: statesFromText(serialized) }
