/**
 * A set of identifiers with an expiry each, in 32 to 64 bytes per identifier. It stores 53-bit hashes: with 10^6 identifiers, about
 * one lookup in 10^10 finds an identifier that was never added.
 */
import { randomInt } from 'node:crypto'

export type IdentifierSet = Readonly<{
  /** Adds an identifier. If it is known, the later expiry counts. */
  add(identifier: string, untilMs: number): void
  /** The expiry. `-Infinity`: the identifier was never added. */
  untilMs(identifier: string): number
  bytes(): number
}>

const slotsMin = 1024

export function createIdentifierSet(): IdentifierSet {
  // A random seed, so that clients cannot search for identifiers with equal hashes.
  const seed = randomInt(2 ** 32)
  /** 0 marks a free slot. */
  let hashes = new Float64Array(slotsMin)
  let untils = new Float64Array(slotsMin)
  let count = 0

  const slotOf = (hash: number): number => {
    const mask = hashes.length - 1
    let slot = hash & mask
    while (hashes[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & mask
    return slot
  }
  const put = (hash: number, untilMs: number): void => {
    const slot = slotOf(hash)
    if (hashes[slot] === 0) count += 1
    const known = hashes[slot] === 0 ? Number.NEGATIVE_INFINITY : (untils[slot] ?? 0)
    hashes[slot] = hash
    untils[slot] = Math.max(known, untilMs)
  }
  const grow = (): void => {
    const [oldHashes, oldUntils] = [hashes, untils]
    hashes = new Float64Array(2 * oldHashes.length)
    untils = new Float64Array(2 * oldHashes.length)
    count = 0
    for (const [slot, hash] of oldHashes.entries()) if (hash !== 0) put(hash, oldUntils[slot] ?? 0)
  }
  return {
    add(identifier, untilMs) {
      put(hashOf(identifier, seed), untilMs)
      if (2 * count > hashes.length) grow()
    },
    untilMs(identifier) {
      const slot = slotOf(hashOf(identifier, seed))
      return hashes[slot] === 0 ? Number.NEGATIVE_INFINITY : (untils[slot] ?? 0)
    },
    bytes: () => hashes.byteLength + untils.byteLength,
  }
}

/** A hash of 53 bits, as many as a double holds exactly, never 0. Two multiplicative 32-bit hashes, mixed at the end (cyrb53). */
function hashOf(text: string, seed: number): number {
  let low = 0xdeadbeef ^ seed
  let high = 0x41c6ce57 ^ seed
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 2_654_435_761)
    high = Math.imul(high ^ code, 1_597_334_677)
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  return (high & 0x1f_ffff) * 2 ** 32 + (low >>> 0) || 1
}
