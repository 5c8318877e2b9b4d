/**
 * Base58, the text form of Solana's addresses, signatures and instructions. Records contain bytes. Only code that reads
 * or writes text from outside uses base58.
 */
import { base58 } from '@scure/base'
import type { Hex } from '../schemas/units.ts'

export const toBase58 = (bytes: Uint8Array): string => base58.encode(bytes)

export const base58OfHex = (hex: Hex): string => base58.encode(Buffer.from(hex.slice(2), 'hex'))

/**
 * Returns the bytes of a base58 text as hex. Returns null if the text is not base58, or if the number of
 * bytes is not `byteCount`.
 */
export function hexOfBase58(text: string, byteCount: number): Hex | null {
  // Refuses a text of impossible length without converting it. A byte takes from 1 to 1.4 digits of base58.
  if (text.length < byteCount || text.length > Math.ceil(byteCount * 1.4)) return null
  const bytes = bytesOfBase58(text)
  return bytes?.length === byteCount ? `0x${bytes.toString('hex')}` : null
}

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const digitOfCode = Int8Array.from({ length: 128 }, (_, code) => digits.indexOf(String.fromCharCode(code)))

/** The number of digits that are converted together. A double holds the value of eight digits exactly. */
const chunkDigits = 8
const chunkScale = 58n ** BigInt(chunkDigits)

/**
 * Returns the bytes of a base58 text, or null if the text is not base58. This function converts eight digits
 * at a time. The base58 library converts one digit at a time. For the few hundred bytes of an event, the
 * library takes ten times as long.
 */
export function bytesOfBase58(text: string): Buffer | null {
  let zeros = 0
  while (text[zeros] === '1') zeros++
  let value = 0n
  const firstEnd = zeros + ((text.length - zeros) % chunkDigits)
  for (let start = zeros, end = firstEnd; start < text.length; start = end, end += chunkDigits) {
    let chunk = 0
    for (let at = start; at < end; at++) {
      const digit = digitOfCode[text.charCodeAt(at)] ?? -1
      if (digit < 0) return null
      chunk = chunk * 58 + digit
    }
    value = value * chunkScale + BigInt(chunk)
  }
  const hex = value === 0n ? '' : value.toString(16)
  return Buffer.from(`${'00'.repeat(zeros)}${hex.length % 2 > 0 ? '0' : ''}${hex}`, 'hex')
}
