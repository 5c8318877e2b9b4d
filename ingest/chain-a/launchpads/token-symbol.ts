import type { Hex } from '../../../schemas/units.ts'

const lengthMax = 32
/** The maximum number of bytes of 32 characters in UTF-8. Further bytes are not decoded. */
const bytesMax = 4 * lengthMax
const wordDigits = 64

/**
 * Decodes the answer to `symbol()`. A contract may return any text, so only printable characters of one line are used, at most 32. Null if
 * no character is left or the answer is no text.
 */
export function decodeSymbol(answer: Hex | null): string | null {
  const digits = answer?.slice(2) ?? ''
  const bytes = digits.length === wordDigits ? digits : stringBytes(digits)
  const text = new TextDecoder().decode(Buffer.from(bytes.slice(0, 2 * bytesMax), 'hex'))
  const printable = [...text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '').trim()]
  return printable.slice(0, lengthMax).join('').trim() || null
}

/**
 * The bytes of an ABI string, which is encoded as offset, length and bytes. Old tokens answer with a single word of
 * text, which `decodeSymbol` decodes itself.
 */
function stringBytes(digits: string): string {
  const [start, length] = [digits.slice(0, wordDigits), digits.slice(wordDigits, 2 * wordDigits)].map((word) =>
    /^[0-9a-f]{64}$/i.test(word) ? BigInt(`0x${word}`) : 0n,
  )
  if (start !== 32n || !length) return ''
  const byteCount = length < bytesMax ? Number(length) : bytesMax
  return digits.slice(2 * wordDigits, 2 * wordDigits + 2 * byteCount)
}
