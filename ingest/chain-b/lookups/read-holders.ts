import { base58OfHex, hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { ChainBReader, NodeAccount } from '../node/reader.ts'
import type { HolderReader } from './holders.ts'

/** Older signals come from a backfill. Holders are told as those of the signal, so those of now would be wrong there. */
export const holdersAgeMsMax = 120_000

/** SPL Token and Token-2022, whose accounts begin with the same fields. */
const tokenPrograms: readonly string[] = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]
const at = { mint: 0, owner: 32, amount: 64, end: 72 } as const

type TokenAccount = Readonly<{ mint: Hex; owner: Hex; tokenRaw: bigint }>

/** Null: it is no token account. */
function readTokenAccount({ owner: program, bytes }: NodeAccount): TokenAccount | null {
  if (!tokenPrograms.includes(program) || bytes.length < at.end) return null
  const addressAt = (start: number): Hex => `0x${bytes.toString('hex', start, start + 32)}`
  return { mint: addressAt(at.mint), owner: addressAt(at.owner), tokenRaw: bytes.readBigUInt64LE(at.amount) }
}

/**
 * The holders as the node has them now. Amounts are those of the accounts, which are read after their list, all as of one
 * slot; an account may be closed or changed in between.
 */
export const createRpcHolderReader =
  ({ largestTokenAccounts, accounts }: Pick<ChainBReader, 'largestTokenAccounts' | 'accounts'>): HolderReader =>
  async ({ mint, slot }, signal) => {
    const largest = await largestTokenAccounts(base58OfHex(mint), signal)
    const addresses = largest.map(({ account }) => account).filter((address) => hexOfBase58(address, 32) !== null)
    const read = await accounts(addresses, signal)
    const held = read.flatMap((account) => {
      if (account === null) return []
      if (account.slot < slot)
        throw new OperationError('node_inconsistent', `the node has come to slot ${account.slot} only, not to ${slot}`)
      const token = readTokenAccount(account)
      return token?.mint === mint && token.tokenRaw > 0n ? [token] : []
    })
    if (held.length === 0)
      throw new OperationError('node_refused', 'the node knows no token accounts of this mint', { context: { slot } })
    return held
      .map(({ owner, tokenRaw }) => ({ owner, tokenRaw }))
      .sort((left, right) => (left.tokenRaw < right.tokenRaw ? 1 : left.tokenRaw > right.tokenRaw ? -1 : 0))
  }
