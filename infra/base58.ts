/**
 * Base58, the text form of Solana's addresses, signatures and instructions. Records hold bytes, so this is used only at
 * the edges.
 */
import { base58 } from '@scure/base'
import type { Hex } from '../schemas/units.ts'

export const toBase58 = (bytes: Uint8Array): string => base58.encode(bytes)

export const base58OfHex = (hex: Hex): string => base58.encode(Buffer.from(hex.slice(2), 'hex'))

/** Null if the text is not base58, or does not have this many bytes. */
export function hexOfBase58(text: string, byteCount: number): Hex | null {
  // Base58 has at least one digit a byte, and at most 1.4.
  if (text.length < byteCount || text.length > Math.ceil(byteCount * 1.4)) return null
  const bytes = bytesOfBase58(text)
  return bytes?.length === byteCount ? `0x${bytes.toString('hex')}` : null
}

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const digitOfCode = Int8Array.from({ length: 128 }, (_, code) => digits.indexOf(String.fromCharCode(code)))

/** The most digits whose number fits exactly into a double. */
const chunkDigits = 8
const chunkScale = 58n ** BigInt(chunkDigits)

/**
 * Null if the text is not base58. The library converts digit by digit, which takes ten times as long for the few
 * hundred bytes of an event. This converts eight digits at a time, in one large integer.
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
