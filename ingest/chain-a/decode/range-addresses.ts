import type { ChainAAddress, CurveAddress, PoolAddress } from '../../../schemas/chain-a/addresses.ts'
import type { Address, BlockNumber, EpochMs, PoolId, PositionId } from '../../../schemas/units.ts'
import { isPoolAlive } from '../lives.ts'
import type { KnownAddresses } from '../types.ts'

/** The address book during the decoding of a range: the entries in the log, and the new entries of the range. */
export type RangeAddresses = Readonly<{
  poolOf(pool: string): PoolAddress | undefined
  poolOfPosition(positionId: PositionId): PoolAddress | undefined
  /** Whether the pool is still followed at this block time. */
  isAlive(pool: PoolAddress, blockAtMs: EpochMs): boolean
  curveOf(curve: Address): CurveAddress | undefined
  curveOfToken(token: Address): CurveAddress | undefined
  learn(address: ChainAAddress): void
  /** The block of the newest log of this curve that was decoded in this range. */
  decodedBlockOf(curve: Address): BlockNumber | undefined
  decoded(curve: Address, blockNumber: BlockNumber): void
  /**
   * Call this when a position was minted into a pool that is not followed. An existing entry of the same
   * position number then comes from a replaced branch. This entry becomes stale.
   */
  disown(positionId: PositionId): void
  newAddresses(): readonly ChainAAddress[]
  staleAddresses(): readonly string[]
}>

/**
 * Creates the address book of a range that will be published from block `publishFrom` on. The log has no facts of these blocks, or the
 * range replaces those facts. After a crash or a reorg, the address book may still have curves of these blocks. Such curves do not count.
 * They are looked up again unless the range has their launch.
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
    // Searches all curves. Only graduations need a curve by its token. Graduations are rare, so a second map
    // is not worth its cost.
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
      // The curves whose facts a reorg or a crash removed. Curves that this range adds again are not
      // included.
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
