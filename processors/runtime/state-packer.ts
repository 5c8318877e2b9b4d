/**
 * Compresses the states that the processors of a stage hold for one token. Most tokens have no facts for
 * hours. Uncompressed, their states take about five times as much memory.
 */
import { deserialize, Serializer } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * The size of the deflate window as a power of two: 2^13 bytes (8 kB). The states of most tokens are smaller
 * than the window.
 */
const windowBits = 13

/** The deflate level. Level 1 is the fastest. The output of level 6 would be about 5 % smaller. */
const compression = { level: 1, windowBits } as const

type States = readonly unknown[]

/**
 * Packs (compresses) states with a dictionary. The states of all tokens have the same field names. With a
 * dictionary that contains these names, packed states are a third smaller.
 */
export class StatePacker {
  readonly dictionary: Uint8Array

  constructor(dictionary: Uint8Array) {
    this.dictionary = dictionary
  }

  /** Makes the dictionary from the states of some tokens. */
  static learn(examples: readonly States[]): StatePacker {
    const bytes = Buffer.concat(examples.map(stateBytesOf))
    return new StatePacker(Uint8Array.from(bytes.subarray(-(2 ** windowBits))))
  }

  /**
   * Returns the packed states as a string in which each character is one byte. A typed array would take about
   * 200 bytes more memory.
   */
  pack(states: States): string {
    return deflateRawSync(stateBytesOf(states), { ...compression, dictionary: this.dictionary }).toString('latin1')
  }

  /** Returns states that are deeply equal to the packed ones. `packed` must come from a packer with the same dictionary. */
  unpack(packed: string): unknown[] {
    return statesFrom(inflateRawSync(Buffer.from(packed, 'latin1'), { dictionary: this.dictionary })) as unknown[]
  }
}

/** The serialized states of a few tokens. A snapshot has such groups, because serializing each token alone takes four times as long. */
export type StatesGroup = Readonly<{
  /** The states of all these tokens, serialized together. */
  bytes: Uint8Array
  /** The tokens in the order of their states. Undefined: the group has states of a token that is not restored with it. */
  tokens: readonly (string | undefined)[]
}>

/** Serialises the states of a few tokens to the bytes of a `StatesGroup`. */
export const bytesOfGroup = (statesOfTokens: readonly States[]): Uint8Array => stateBytesOf(statesOfTokens)

/** Returns states that are deeply equal to those given to `bytesOfGroup`, in the same order. */
export const statesOfGroup = (bytes: Uint8Array): unknown[][] => statesFrom(bytes) as unknown[][]

/** Returns a value that is deeply equal to the one that was serialized, and takes little memory. */
export const statesFrom = (bytes: Uint8Array): unknown => leanOf(deserialize(bytes), new Map())

/** The restored strings by their text. */
type Texts = Map<string, string>

/**
 * Returns an equal value that takes less memory. `deserialize` restores each occurrence of a text as a string of its own,
 * and the identifier of a pool occurs in most states of a token. It also restores each fraction in a list as an object of
 * its own, which takes three times the memory. In a list that is filled one by one, it is not.
 */
function leanOf(value: unknown, texts: Texts): unknown {
  if (typeof value === 'string') return sharedText(value, texts)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return isOfNumbers(value) ? refilled(value) : leanList(value, texts)
  if (value instanceof Map) return leanMap(value, texts)
  if (value instanceof Set || ArrayBuffer.isView(value)) return value
  return leanObject(value as Record<string, unknown>, texts)
}

function sharedText(text: string, texts: Texts): string {
  const shared = texts.get(text)
  if (shared !== undefined) return shared
  texts.set(text, text)
  return text
}

function leanList(list: unknown[], texts: Texts): unknown[] {
  for (let index = 0; index < list.length; index++) {
    const part = list[index]
    if (isTextOrObject(part)) list[index] = leanOf(part, texts)
  }
  return list
}

function leanMap(map: Map<unknown, unknown>, texts: Texts): Map<unknown, unknown> {
  for (const [key, part] of map) {
    leanOf(key, texts)
    map.set(key, leanOf(part, texts))
  }
  return map
}

function leanObject(object: Record<string, unknown>, texts: Texts): Record<string, unknown> {
  for (const key in object) {
    const part = object[key]
    // Most fields are numbers. Writing them again would take time, and memory if the field is a fraction.
    if (isTextOrObject(part)) object[key] = leanOf(part, texts)
  }
  return object
}

const isTextOrObject = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null)

function isOfNumbers(list: readonly unknown[]): list is number[] {
  for (const item of list) if (typeof item !== 'number') return false
  return list.length > 0
}

function refilled(list: readonly number[]): number[] {
  const filled: number[] = []
  for (const item of list) filled.push(item)
  return filled.slice()
}

/**
 * Serialises states so that `deserialize` restores each typed array with its own memory. With `serialize` of
 * Node, each restored array would share the memory of the whole buffer. The whole buffer could then not be
 * freed.
 */
export function stateBytesOf(value: unknown): Buffer {
  const serializer = new Serializer()
  serializer.writeHeader()
  serializer.writeValue(value)
  return serializer.releaseBuffer()
}
