/**
 * Finds who can withdraw the liquidity of a v4 pool: the liquidity positions of the pool, their owners, and
 * the risk class of the pool.
 */
import type { BurstLp, LpClass } from '../../../schemas/chain-a/derived.ts'
import type { LiquidityChanged, PositionTransferred } from '../../../schemas/chain-a/facts.ts'
import type { ChainANumbers } from '../../../schemas/chain-a/numbers.ts'
import type { Address, EpochMs, PositionId } from '../../../schemas/units.ts'
import {
  countOf,
  type HeldPositions,
  noPositions,
  type Position,
  positionOf,
  withoutPosition,
  withPosition,
} from './held-positions.ts'

const zeroAddress = '0x0000000000000000000000000000000000000000'
const deadAddress = '0x000000000000000000000000000000000000dead'

/** The state of one pool. */
export type Ownership = {
  /** The wallet that created the pool. Null: not known. */
  readonly creator: Address | null
  /**
   * The other wallets that added liquidity to the pool. Null: there are none. These wallets and the creator are the
   * insiders, who can withdraw the liquidity that they own.
   */
  adders: Set<Address> | null
  positions: HeldPositions
  /**
   * The liquidity of `positions`, summed by category. Stored only for pools with many positions. Null if it
   * must be computed.
   */
  sums: LpSums | null
  firstAddAtMs: EpochMs | null
  lpAdds: number
}

/**
 * The number of positions from which a pool stores the sums and updates them at every change. With fewer
 * positions, it is cheaper to compute the sums each time. No position is ever dropped to save memory, because
 * a later removal of its liquidity would make the shares wrong.
 */
const summedFrom = 64

export const noLiquidity = (creator: Address | null): Ownership => ({
  creator,
  adders: null,
  positions: noPositions,
  sums: null,
  firstAddAtMs: null,
  lpAdds: 0,
})

/** Applies an addition or removal of liquidity. Returns false for a change of 0, which only collects fees. */
export function takeChange(ownership: Ownership, change: LiquidityChanged): boolean {
  const { liquidityDelta, positionId, txSender } = change
  if (liquidityDelta === 0n) return false
  if (liquidityDelta > 0n) {
    ownership.firstAddAtMs ??= change.blockAtMs
    ownership.lpAdds++
    if (txSender !== null) addInsider(ownership, txSender)
  }
  const key = positionId ?? `${change.owner}:${change.salt}:${change.tickLower}:${change.tickUpper}`
  const position = openPosition(ownership, key, positionId)
  count(ownership, position, -1n)
  if (positionId === null && txSender !== null) position.owner = change.owner
  position.liquidity += liquidityDelta
  count(ownership, position, 1n)
  dropIfOver(ownership, position)
  return true
}

/**
 * Adds an insider (a wallet that created the pool or added liquidity). The sums must then be computed again,
 * because the positions of the wallet move to another category.
 */
function addInsider(ownership: Ownership, wallet: Address): void {
  if (isInsider(ownership, wallet)) return
  ownership.adders = (ownership.adders ?? new Set()).add(wallet)
  ownership.sums = null
}

/**
 * Applies a transfer of a position NFT. When an NFT is created, its transfer comes before the addition of its
 * liquidity. When an NFT is burned, its transfer comes before the removal of its liquidity.
 */
export function takeTransfer(ownership: Ownership, { positionId, to }: PositionTransferred): void {
  const position = openPosition(ownership, positionId, positionId)
  count(ownership, position, -1n)
  position.owner = to
  count(ownership, position, 1n)
  dropIfOver(ownership, position)
}

/** Returns the position with this key, and adds it if it is missing. */
function openPosition(ownership: Ownership, key: string, positionId: PositionId | null): Position {
  const known = positionOf(ownership.positions, key)
  if (known !== undefined) return known
  const position = { key, positionId, liquidity: 0n, owner: null }
  ownership.positions = withPosition(ownership.positions, position)
  return position
}

/**
 * Deletes a position without liquidity if its NFT is burned or if a contract holds it directly. Otherwise the position of
 * an NFT stays, because its owner may add liquidity.
 */
function dropIfOver(ownership: Ownership, { key, positionId, liquidity, owner }: Position): void {
  const mayGrow = positionId !== null && owner !== null && owner !== zeroAddress
  if (liquidity === 0n && !mayGrow) ownership.positions = withoutPosition(ownership.positions, key)
}

/** The category of an owner under which the liquidity of a position is summed. */
type Bucket = 'insider' | 'burned' | 'contract' | 'other' | 'unknown'

export type LpSums = Record<Bucket, bigint>

/** Returns the sum of the liquidity in each category, as a copy that the caller may change. */
export function sumLiquidity(ownership: Ownership): LpSums {
  const { positions, sums: kept } = ownership
  if (kept) return { ...kept }
  const sums: LpSums = { insider: 0n, burned: 0n, contract: 0n, other: 0n, unknown: 0n }
  for (const position of positions.values())
    if (position.liquidity > 0n) sums[bucketOf(ownership, position)] += position.liquidity
  if (countOf(positions) >= summedFrom) ownership.sums = { ...sums }
  return sums
}

/** Adds the liquidity of a position to the stored sums (`times` 1), or subtracts it (-1). */
function count(ownership: Ownership, position: Position, times: 1n | -1n): void {
  const { sums } = ownership
  if (sums && position.liquidity > 0n) sums[bucketOf(ownership, position)] += times * position.liquidity
}

const isInsider = ({ creator, adders }: Ownership, wallet: Address): boolean =>
  wallet === creator || adders?.has(wallet) === true

function bucketOf(ownership: Ownership, { positionId, owner }: Position): Bucket {
  if (owner === null) return 'unknown'
  if (positionId === null) return 'contract'
  if (owner === zeroAddress || owner === deadAddress) return 'burned'
  return isInsider(ownership, owner) ? 'insider' : 'other'
}

const totalOf = ({ insider, burned, contract, other, unknown }: LpSums): bigint =>
  insider + burned + contract + other + unknown

export type ClassRules = Pick<ChainANumbers['liquidity'], 'heldBpsMin' | 'safeBpsMin'>

/**
 * Returns the risk class of a pool from the exact sums of its liquidity. Without liquidity the class is
 * `empty`.
 */
export function classify(sums: LpSums, { heldBpsMin, safeBpsMin }: ClassRules): LpClass {
  const total = totalOf(sums)
  if (total === 0n) return 'empty'
  if (isShare(sums.insider, total, heldBpsMin)) return 'held'
  return isShare(sums.burned + sums.contract + sums.other, total, safeBpsMin) ? 'safe' : 'unknown'
}

const isShare = (part: bigint, total: bigint, bpsMin: number): boolean => 10_000n * part >= BigInt(bpsMin) * total

export type LpShares = Pick<BurstLp, `${Bucket}Share`>

/**
 * Returns each category's share of the liquidity. The sum of the shares is 1, except for rounding. Without
 * liquidity all shares are 0.
 */
export function sharesOf(sums: LpSums): LpShares {
  const total = Number(totalOf(sums))
  return {
    insiderShare: shareOf(sums.insider, total),
    burnedShare: shareOf(sums.burned, total),
    contractShare: shareOf(sums.contract, total),
    otherShare: shareOf(sums.other, total),
    unknownShare: shareOf(sums.unknown, total),
  }
}

const shareOf = (liquidity: bigint, total: number): number => (total === 0 ? 0 : Number(liquidity) / total)

/** A position NFT with liquidity. `owner` is its owner according to the log. */
export type HeldNft = Readonly<{ positionId: PositionId; owner: Address | null; liquidity: bigint; bucket: Bucket }>

/**
 * Returns the position NFTs with the most liquidity, largest first. NFTs with equal liquidity are sorted by
 * number.
 */
export function largestNfts(ownership: Ownership, countMax: number): HeldNft[] {
  const nfts: HeldNft[] = []
  for (const position of ownership.positions.values()) {
    const { positionId, owner, liquidity } = position
    if (positionId !== null && liquidity > 0n)
      nfts.push({ positionId, owner, liquidity, bucket: bucketOf(ownership, position) })
  }
  return nfts.sort(bySize).slice(0, countMax)
}

const bySize = (left: HeldNft, right: HeldNft): number =>
  Number(right.liquidity - left.liquidity) || (left.positionId < right.positionId ? -1 : 1)

/** Returns whether the node gives another owner than the log. `named` is the owner from the node. It is null if the NFT was burned. */
export const isDoubted = ({ owner }: HeldNft, named: Address | null): boolean =>
  owner !== null && owner !== (named ?? zeroAddress)
