/** Stores hexadecimal texts, such as addresses and transaction hashes, as bytes in the state of a processor. */
import type { Hex } from '../schemas/units.ts'

/** Writes the bytes of a hexadecimal text, which begins with 0x and is in lower case. */
export function writeHex(bytes: Uint8Array, from: number, text: Hex): void {
  let at = from
  for (let index = 2; index < text.length; index += 2) bytes[at++] = byteOf(text, index)
}

const byteOf = (text: Hex, index: number): number =>
  (digitOf(text.charCodeAt(index)) << 4) | digitOf(text.charCodeAt(index + 1))

/**
 * Converts the character code of a hexadecimal digit to its value. The codes of '0' to '9' are 0x30 to 0x39, and those of
 * 'a' to 'f' are 0x61 to 0x66. A condition would be slow here, because the CPU cannot predict the digits of a hash.
 */
const digitOf = (code: number): number => (code & 0xf) + (code >> 6) * 9

/** Returns the text of `length` bytes. */
export const readHex = (bytes: Uint8Array, from: number, length: number): Hex =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset + from, length).toString('hex')}`

/** Returns whether the bytes at `from` are those of the text. */
export function isHexAt(bytes: Uint8Array, from: number, text: Hex): boolean {
  let at = from
  for (let index = 2; index < text.length; index += 2) if (bytes[at++] !== byteOf(text, index)) return false
  return true
}
