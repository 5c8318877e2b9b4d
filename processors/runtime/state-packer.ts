/**
 * Packs the states of a token into few bytes. Most tokens of a stage are quiet for hours. As objects, the
 * states of these tokens take about five times as much memory.
 */
import { deserialize, Serializer } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** The window of the compression is 2^13 bytes (8 kB). Most states are smaller. */
const windowBits = 13

/** Level 1 is the fastest. Level 6 saves about 5 % more. */
const compression = { level: 1, windowBits } as const

type States = readonly unknown[]

/** The states of all tokens have the same field names. With a dictionary that contains these names, packed states are a third smaller. */
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

  /** Returns a text in which each character is a byte. A typed array would take about 200 bytes more. */
  pack(states: States): string {
    return deflateRawSync(stateBytesOf(states), { ...compression, dictionary: this.dictionary }).toString('latin1')
  }

  /** Returns states that are deeply equal to the packed ones. `packed` must come from a packer with the same dictionary. */
  unpack(packed: string): unknown[] {
    return deserialize(inflateRawSync(Buffer.from(packed, 'latin1'), { dictionary: this.dictionary }))
  }
}

/**
 * Serialises states so that `deserialize` restores each typed array with its own memory. With `serialize` of
 * Node, each array would be a part of the whole buffer, and would keep the whole buffer in memory.
 */
export function stateBytesOf(value: unknown): Buffer {
  const serializer = new Serializer()
  serializer.writeHeader()
  serializer.writeValue(value)
  return serializer.releaseBuffer()
}
