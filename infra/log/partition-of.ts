/**
 * The partition of a key by Kafka's default murmur2 partitioner. Other producers and consumers compute the same
 * partition.
 */
export function partitionOf(key: string, partitionCount: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitionCount
}

const mix = 0x5bd1e995
const seed = 0x9747b28c

/** Kafka's `Utils.murmur2`, 32 bits. */
function murmur2(bytes: Buffer): number {
  let hash = seed ^ bytes.length
  const words = bytes.length >> 2
  for (let word = 0; word < words; word++) {
    let part = Math.imul(bytes.readInt32LE(word * 4), mix)
    part ^= part >>> 24
    part = Math.imul(part, mix)
    hash = Math.imul(hash, mix) ^ part
  }
  const rest = bytes.length & 3
  const tail = words * 4
  if (rest === 3) hash ^= bytes.readUInt8(tail + 2) << 16
  if (rest >= 2) hash ^= bytes.readUInt8(tail + 1) << 8
  if (rest >= 1) hash = Math.imul(hash ^ bytes.readUInt8(tail), mix)
  hash ^= hash >>> 13
  hash = Math.imul(hash, mix)
  return hash ^ (hash >>> 15)
}
