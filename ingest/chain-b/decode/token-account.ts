import type { Address, TokenRaw } from '../../../schemas/units.ts'

/**
 * The addresses of the token programs SPL Token and Token-2022. The accounts of both programs begin with the
 * same fields.
 */
export const tokenPrograms: readonly string[] = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]
const at = { mint: 0, owner: 32, amount: 64, end: 72 } as const

export type TokenAccount = Readonly<{ mint: Address; owner: Address; tokenRaw: TokenRaw }>

/**
 * Reads a token account. `owner` is the program that owns the account, in base58. Returns null if the account
 * is not a token account.
 */
export function readTokenAccount({
  owner: program,
  bytes,
}: Readonly<{ owner: string; bytes: Buffer }>): TokenAccount | null {
  if (!tokenPrograms.includes(program) || bytes.length < at.end) return null
  const addressAt = (start: number): Address => `0x${bytes.toString('hex', start, start + 32)}` as const
  return { mint: addressAt(at.mint), owner: addressAt(at.owner), tokenRaw: bytes.readBigUInt64LE(at.amount) }
}
