/** Encodes base58 as in Bitcoin and Solana, digit by digit. */
import type { Hex } from '../../../../schemas/units.ts'

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export function base58Of(hex: Hex): string {
  let text = ''
  for (let rest = BigInt(hex); rest > 0n; rest /= 58n) text = `${digits[Number(rest % 58n)]}${text}`
  // Each zero byte at the beginning becomes one digit.
  const zeros = /^(?:00)*/.exec(hex.slice(2))?.[0].length ?? 0
  return digits.charAt(0).repeat(zeros / 2) + text
}
