/** The accounts of a mint that hold what it trades. They are derived from the mint, so no label of anybody else is needed. */
import { canonicalPoolOf, curveOfMint, tokenAccountsOf } from '../decode/derived-addresses.ts'

/** In base58. */
export type OwnAccounts = Readonly<{
  curve: string
  pool: string
  /** Curve, pool, and the accounts in which they keep the tokens: none of them is a holder. */
  holdsForTraders(address: string | undefined): boolean
}>

export async function ownAccountsOf(mint: string): Promise<OwnAccounts> {
  const [curve, pool] = await Promise.all([curveOfMint(mint), canonicalPoolOf(mint)])
  const vaults = await Promise.all([curve, pool].map((owner) => tokenAccountsOf(owner, mint)))
  const all = new Set([curve, pool, ...vaults.flat()])
  return { curve, pool, holdsForTraders: (address) => address !== undefined && all.has(address) }
}
