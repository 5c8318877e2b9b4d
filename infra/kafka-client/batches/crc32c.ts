/**
 * The polynomial of CRC-32C (Castagnoli), the checksum of Kafka's record batches. Node's zlib has only CRC-32. This
 * file computes the checksum eight bytes at a time.
 */
const polynomial = 0x82f63b78

const tables = Array.from({ length: 8 }, () => new Int32Array(256))
for (let byte = 0; byte < 256; byte++) {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1
  const first = tables[0] as Int32Array
  first[byte] = value
}
for (let depth = 1; depth < 8; depth++)
  for (let byte = 0; byte < 256; byte++) {
    const before = tables[depth - 1]?.[byte] ?? 0
    const table = tables[depth] as Int32Array
    table[byte] = (before >>> 8) ^ (tables[0]?.[before & 255] ?? 0)
  }
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
]

/** The checksum of the part of `bytes` that begins at `from`, as an unsigned number. */
export function crc32c(bytes: Buffer, from = 0): number {
  let crc = -1
  let at = from
  // Reads single bytes, because `readInt32LE` is slower here.
  const lastWhole = bytes.length - 7
  for (; at < lastWhole; at += 8) {
    const low =
      crc ^
      byteAt(bytes, at) ^
      (byteAt(bytes, at + 1) << 8) ^
      (byteAt(bytes, at + 2) << 16) ^
      (byteAt(bytes, at + 3) << 24)
    crc =
      entry(t7, low & 255) ^
      entry(t6, (low >>> 8) & 255) ^
      entry(t5, (low >>> 16) & 255) ^
      entry(t4, low >>> 24) ^
      entry(t3, byteAt(bytes, at + 4)) ^
      entry(t2, byteAt(bytes, at + 5)) ^
      entry(t1, byteAt(bytes, at + 6)) ^
      entry(t0, byteAt(bytes, at + 7))
  }
  for (; at < bytes.length; at++) crc = entry(t0, (crc ^ byteAt(bytes, at)) & 255) ^ (crc >>> 8)
  return (crc ^ -1) >>> 0
}

const entry = (table: Int32Array, index: number): number => table[index] as number

const byteAt = (bytes: Buffer, at: number): number => bytes[at] as number
