/**
 * The accounts of a mint that hold tokens for trading: its curve, its pool and their token accounts. All of
 * them are derived from the mint's address, so no labels of third parties are needed.
 */
import { canonicalPoolOf, curveOfMint, tokenAccountsOf } from '../decode/derived-addresses.ts'

/** The addresses are in base58. */
export type OwnAccounts = Readonly<{
  curve: string
  pool: string
  /** Whether the address is the curve, the pool or one of their token accounts. None of these counts as a holder. */
  holdsForTraders(address: string | undefined): boolean
}>

export async function ownAccountsOf(mint: string): Promise<OwnAccounts> {
  const [curve, pool] = await Promise.all([curveOfMint(mint), canonicalPoolOf(mint)])
  const vaults = await Promise.all([curve, pool].map((owner) => tokenAccountsOf(owner, mint)))
  const all = new Set([curve, pool, ...vaults.flat()])
  return { curve, pool, holdsForTraders: (address) => address !== undefined && all.has(address) }
}
