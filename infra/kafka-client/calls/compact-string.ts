/**
 * Encodes and decodes values as the newer "flexible" versions of Kafka requests do: strings with a varint
 * length, and tagged fields. This client sends no tagged fields.
 */

export const noTags = Buffer.of(0)

/** Encodes a string. Before the string comes its length plus one, because the number 0 means null. */
export function compactString(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([unsignedVarint(bytes.length + 1), bytes])
}

/** Reads a string. `end` is the offset of the next field. */
export function readCompactString(bytes: Buffer, start: number): Readonly<{ text: string; end: number }> {
  let [length, at, shift] = [0, start, 0]
  for (let byte = 0x80; byte > 0x7f; shift += 7) {
    byte = bytes.readUInt8(at++)
    length |= (byte & 0x7f) << shift
  }
  const end = at + Math.max(0, length - 1)
  return { text: bytes.toString('utf8', at, end), end }
}

function unsignedVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.of(...bytes, rest)
}
