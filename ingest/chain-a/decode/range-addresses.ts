import type { ChainAAddress, CurveAddress, PoolAddress } from '../../../schemas/chain-a/addresses.ts'
import type { Address, BlockNumber, EpochMs, PoolId, PositionId } from '../../../schemas/units.ts'
import { isPoolAlive } from '../lives.ts'
import type { KnownAddresses } from '../types.ts'

/** The address book in the middle of a range: the entries in the log, and those that the range adds. */
export type RangeAddresses = Readonly<{
  poolOf(pool: string): PoolAddress | undefined
  poolOfPosition(positionId: PositionId): PoolAddress | undefined
  /** Whether the pool is still followed at this block time. */
  isAlive(pool: PoolAddress, blockAtMs: EpochMs): boolean
  curveOf(curve: Address): CurveAddress | undefined
  curveOfToken(token: Address): CurveAddress | undefined
  learn(address: ChainAAddress): void
  /** The block of the curve's newest decoded log. */
  decodedBlockOf(curve: Address): BlockNumber | undefined
  decoded(curve: Address, blockNumber: BlockNumber): void
  /**
   * Call this when a position was minted into a pool that is not followed: the book may know its number from a replaced
   * branch.
   */
  disown(positionId: PositionId): void
  newAddresses(): readonly ChainAAddress[]
  staleAddresses(): readonly string[]
}>

/**
 * From `publishFrom` on, the log holds nothing, or those blocks are published again. After a crash or a reorg the book
 * may hold curves of those blocks. They do not count, and are found again unless the logs hold their launch.
 */
export function createRangeAddresses(known: KnownAddresses, publishFrom?: number): RangeAddresses {
  const { pools, positions, curves, followed } = known
  const newPools = new Map<string, PoolAddress>()
  const newPositions = new Map<PositionId, PoolId>()
  const newCurves = new Map<string, CurveAddress>()
  const decodedBlocks = new Map<Address, BlockNumber>()
  const stale = new Set<PositionId>()
  const learned: ChainAAddress[] = []
  const poolOf = (pool: string) => newPools.get(pool) ?? pools.get(pool)
  const isPublished = ({ sinceBlock }: CurveAddress) => publishFrom === undefined || sinceBlock < publishFrom
  return {
    poolOf,
    poolOfPosition(positionId) {
      const pool = newPositions.get(positionId) ?? (stale.has(positionId) ? undefined : positions.get(positionId))
      return pool && poolOf(pool)
    },
    isAlive: (pool, blockAtMs) => isPoolAlive(pool, blockAtMs, followed),
    curveOf(curve) {
      const found = curves.get(curve)
      return newCurves.get(curve) ?? (found && isPublished(found) ? found : undefined)
    },
    // Only the decoding of a graduation needs this. Graduations are rare, so a search is cheaper than a second map by token.
    curveOfToken: (token) => withToken(newCurves, token) ?? withToken(curves, token, isPublished),
    learn(address) {
      learned.push(address)
      if (address.type === 'PoolAddress') newPools.set(address.data.pool, address.data)
      if (address.type === 'PositionAddress') newPositions.set(address.data.positionId, address.data.pool)
      if (address.type === 'CurveAddress') newCurves.set(address.data.curve, address.data)
    },
    decodedBlockOf: (curve) => decodedBlocks.get(curve),
    decoded(curve, blockNumber) {
      decodedBlocks.set(curve, blockNumber)
    },
    disown(positionId) {
      if (positions.has(positionId)) stale.add(positionId)
    },
    newAddresses: () => learned,
    staleAddresses: () => [
      ...stale,
      // Their facts were taken back, and this range did not find them again.
      ...[...curves.values()].flatMap((each) => (isPublished(each) || newCurves.has(each.curve) ? [] : each.curve)),
    ],
  }
}

function withToken(
  curves: ReadonlyMap<string, CurveAddress>,
  token: Address,
  doesCount: (curve: CurveAddress) => boolean = () => true,
): CurveAddress | undefined {
  for (const curve of curves.values()) if (curve.token === token && doesCount(curve)) return curve
  return undefined
}
