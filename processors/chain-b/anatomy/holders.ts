/** The shares of a token's largest holders. */
import type { BurstAnatomy } from '../../../schemas/chain-b/derived.ts'
import type { HoldersAnswer } from '../../../schemas/chain-b/facts.ts'
import type { Address, TokenRaw } from '../../../schemas/units.ts'

/** Addresses whose tokens nobody can move: 32 zero bytes, and `1nc1nerator11111111111111111111111111111111`. */
export const burnAddresses: readonly Address[] = [
  '0x0000000000000000000000000000000000000000000000000000000000000000',
  '0x003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000',
]

/**
 * The wallet of the agent of mayhem mode, a mode of pump.fun. The agent trades tokens that are minted for it.
 * The mayhem program derives the address from `sol-vault`. In base58 it is
 * `BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s`.
 */
export const mayhemAgent: Address = '0xa28b5fd26ab479a6a9cc6cbf6b0b23eb61885a371e0120aca913beef3d138a78'

const topCount = 10

/**
 * The supply of a token, its curve and its pool. Curve and pool own the tokens that they trade, so they are
 * not counted as holders. `pool` is null until a pool has replaced the curve.
 */
export type Holding = Readonly<{ supplyRaw: TokenRaw | null; curve: Address; pool: Address | null }>

type HolderShares = Pick<BurstAnatomy, 'holdersTop10' | 'holderTop1'>

/**
 * Computes the shares of the supply that the largest holders have. Both shares are null if the lookup failed
 * or the supply is not known.
 */
export function holderSharesOf(
  { holders }: Pick<HoldersAnswer['data'], 'holders'>,
  { supplyRaw, curve, pool }: Holding,
): HolderShares {
  if (holders === null || supplyRaw === null || supplyRaw === 0n) return { holdersTop10: null, holderTop1: null }
  const left = new Set<Address | null>([...burnAddresses, mayhemAgent, curve, pool])
  const amounts = new Map<Address, TokenRaw>()
  for (const { owner, tokenRaw } of holders)
    if (!left.has(owner)) amounts.set(owner, (amounts.get(owner) ?? 0n) + tokenRaw)
  const largest = [...amounts.values()].sort((left, right) => Number(right - left)).slice(0, topCount)
  const shareOf = (tokenRaw: TokenRaw): number => Number(tokenRaw) / Number(supplyRaw)
  return {
    holdersTop10: shareOf(largest.reduce((total, amount) => total + amount, 0n)),
    holderTop1: shareOf(largest[0] ?? 0n),
  }
}
