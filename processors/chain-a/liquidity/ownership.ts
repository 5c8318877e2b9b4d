/** Who can pull a v4 pool's liquidity: its positions, who holds each, and what that makes of the pool. */
import type { BurstLp, LpClass } from '../../../schemas/chain-a/derived.ts'
import type { LiquidityChanged, PositionTransferred } from '../../../schemas/chain-a/facts.ts'

type Hex = `0x${string}`

const zeroAddress = '0x0000000000000000000000000000000000000000'
const deadAddress = '0x000000000000000000000000000000000000dead'

/**
 * `positionId` null: the contract that added holds it itself, and `owner` is that contract. Else `owner` is that of the NFT.
 * Null when it is not known: no transfer was seen, or the add was told before facts named NFTs and senders.
 */
type Position = { liquidity: bigint; positionId: Hex | null; owner: Hex | null }

/** What is remembered of one pool. */
export type Ownership = {
  /** Who sent the creation, or an add: they can withdraw at will. */
  insiders: Set<Hex>
  /** By NFT number, else by owner, salt and range. */
  positions: Map<string, Position>
  /** Of a pool with many positions, what they add up to; null: not added up since there were many, or since who is an insider changed. */
  sums: LpSums | null
  firstAddAtMs: number | null
  lpAdds: number
}

/**
 * From so many positions on the sums are kept and every change moves them; of fewer, adding up is cheaper than remembering.
 * The number of positions itself has no bound but the gas that each costs whoever adds it: one that was forgotten, or folded
 * into a rest, could not be taken out again, and the shares would be false.
 */
const summedFrom = 64

export const noLiquidity = (creator: Hex | null): Ownership => ({
  insiders: new Set(creator === null ? [] : [creator]),
  positions: new Map(),
  sums: null,
  firstAddAtMs: null,
  lpAdds: 0,
})

/** Takes an add or a removal in; false for a poke, which changes nothing. */
export function takeChange(ownership: Ownership, change: LiquidityChanged): boolean {
  const { liquidityDelta, positionId, txSender } = change
  if (liquidityDelta === 0n) return false
  if (liquidityDelta > 0n) {
    ownership.firstAddAtMs ??= change.blockAtMs
    ownership.lpAdds++
    if (txSender !== null) addInsider(ownership, txSender)
  }
  const key = positionId ?? `${change.owner}:${change.salt}:${change.tickLower}:${change.tickUpper}`
  const position = ownership.positions.get(key) ?? { liquidity: 0n, positionId, owner: null }
  count(ownership, position, -1n)
  if (positionId === null && txSender !== null) position.owner = change.owner
  position.liquidity += liquidityDelta
  count(ownership, position, 1n)
  keep(ownership, key, position)
  return true
}

/** What a new one holds already was somebody else's until now. */
function addInsider(ownership: Ownership, wallet: Hex): void {
  if (ownership.insiders.has(wallet)) return
  ownership.insiders.add(wallet)
  ownership.sums = null
}

/** A mint's transfer stands before its add, a burn's before its removal. */
export function takeTransfer(ownership: Ownership, { positionId, to }: PositionTransferred): void {
  const position = ownership.positions.get(positionId) ?? { liquidity: 0n, positionId, owner: null }
  count(ownership, position, -1n)
  position.owner = to
  count(ownership, position, 1n)
  keep(ownership, positionId, position)
}

/** An NFT without liquidity stays, for its owner may add again; one that is burned, or a contract's position, does not. */
function keep({ positions }: Ownership, key: string, position: Position): void {
  const mayGrow = position.positionId !== null && position.owner !== null && position.owner !== zeroAddress
  if (position.liquidity === 0n && !mayGrow) positions.delete(key)
  else positions.set(key, position)
}

/** Where a position's liquidity is counted. */
type Bucket = 'insider' | 'burned' | 'contract' | 'other' | 'unknown'

export type LpSums = Record<Bucket, bigint>

/** The caller's own. */
export function sumLiquidity(ownership: Ownership): LpSums {
  const { positions, insiders, sums: kept } = ownership
  if (kept) return { ...kept }
  const sums: LpSums = { insider: 0n, burned: 0n, contract: 0n, other: 0n, unknown: 0n }
  for (const position of positions.values())
    if (position.liquidity > 0n) sums[bucketOf(position, insiders)] += position.liquidity
  if (positions.size >= summedFrom) ownership.sums = { ...sums }
  return sums
}

/** Takes a position out of the kept sums (-1) or puts it in (1). */
function count({ sums, insiders }: Ownership, position: Position, times: 1n | -1n): void {
  if (sums && position.liquidity > 0n) sums[bucketOf(position, insiders)] += times * position.liquidity
}

function bucketOf({ positionId, owner }: Position, insiders: ReadonlySet<Hex>): Bucket {
  if (owner === null) return 'unknown'
  if (positionId === null) return 'contract'
  if (owner === zeroAddress || owner === deadAddress) return 'burned'
  return insiders.has(owner) ? 'insider' : 'other'
}

const totalOf = ({ insider, burned, contract, other, unknown }: LpSums): bigint =>
  insider + burned + contract + other + unknown

/** Halves are exact, of the sums. Who holds nothing of nothing is `empty`. */
export function classify(sums: LpSums): LpClass {
  const total = totalOf(sums)
  if (total === 0n) return 'empty'
  if (2n * sums.insider >= total) return 'held'
  return 2n * (sums.burned + sums.contract + sums.other) >= total ? 'safe' : 'unknown'
}

export type LpShares = Pick<BurstLp, `${Bucket}Share`>

/** They sum to 1 but for rounding; all are 0 where there is no liquidity. */
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

/** An NFT with liquidity, as the log has it. */
export type HeldNft = Readonly<{ positionId: Hex; owner: Hex | null; liquidity: bigint; bucket: Bucket }>

/** The largest first, equal ones by number. */
export function largestNfts({ positions, insiders }: Ownership, countMax: number): HeldNft[] {
  const nfts: HeldNft[] = []
  for (const position of positions.values()) {
    const { positionId, owner, liquidity } = position
    if (positionId !== null && liquidity > 0n)
      nfts.push({ positionId, owner, liquidity, bucket: bucketOf(position, insiders) })
  }
  return nfts.sort(bySize).slice(0, countMax)
}

function bySize(left: HeldNft, right: HeldNft): number {
  if (left.liquidity !== right.liquidity) return left.liquidity > right.liquidity ? -1 : 1
  return left.positionId < right.positionId ? -1 : 1
}

/** True when the node names another owner than the log; no NFT (null) is one that is burned. */
export const isDoubted = ({ owner }: HeldNft, named: Hex | null): boolean =>
  owner !== null && owner !== (named ?? zeroAddress)
