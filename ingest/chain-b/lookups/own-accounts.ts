/**
 * The accounts of a mint that hold the traded funds. They are derived from the mint, so that no third party has to
 * label them.
 */
import { canonicalPoolOf, curveOfMint, tokenAccountsOf } from '../decode/derived-addresses.ts'

/** In base58. */
export type OwnAccounts = Readonly<{
  curve: string
  pool: string
  /** Whether it is the curve, the pool, or an account in which they keep the tokens. None of these is a holder. */
  holdsForTraders(address: string | undefined): boolean
}>

export async function ownAccountsOf(mint: string): Promise<OwnAccounts> {
  const [curve, pool] = await Promise.all([curveOfMint(mint), canonicalPoolOf(mint)])
  const vaults = await Promise.all([curve, pool].map((owner) => tokenAccountsOf(owner, mint)))
  const all = new Set([curve, pool, ...vaults.flat()])
  return { curve, pool, holdsForTraders: (address) => address !== undefined && all.has(address) }
}
