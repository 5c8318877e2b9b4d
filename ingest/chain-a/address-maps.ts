import type { ChainAAddress, CurveAddress, PoolAddress } from '../../schemas/chain-a/addresses.ts'
import type { Hex } from '../../schemas/units.ts'
import type { KnownAddresses } from '../source.ts'
import { isCurveAlive, isPoolAlive } from './lives.ts'

/** The address book in memory. Keys of different kinds never collide: pool ids and addresses are hashes, positions count from 1. */
export type AddressMaps = Readonly<{
  known: KnownAddresses
  put(record: ChainAAddress): void
  drop(key: string): void
  /** The keys of what is past its life at the block time; a position goes with its pool. */
  expired(atMs: number): string[]
}>

export function createAddressMaps(): AddressMaps {
  const pools = new Map<string, PoolAddress>()
  const positions = new Map<string, Hex>()
  const positionsOf = new Map<string, string[]>()
  const curves = new Map<string, CurveAddress>()

  const putPosition = (positionId: Hex, poolKey: Hex) => {
    // The pool's own text, so that thousands of positions do not hold a copy each.
    const pool = pools.get(poolKey)?.pool
    if (pool === undefined || positions.get(positionId) === pool) return
    positions.set(positionId, pool)
    const ofPool = positionsOf.get(pool)
    if (ofPool) ofPool.push(positionId)
    else positionsOf.set(pool, [positionId])
  }

  return {
    known: { pools, positions, curves },
    put({ type, data }) {
      switch (type) {
        case 'PoolAddress':
          pools.set(data.pool, data)
          break
        case 'PositionAddress':
          putPosition(data.positionId, data.pool)
          break
        case 'CurveAddress':
          // Behind all that were seen before it, for the search for those past their life.
          curves.delete(data.curve)
          curves.set(data.curve, data)
      }
    },
    drop(key) {
      if (pools.delete(key)) positionsOf.delete(key)
      else if (!positions.delete(key)) curves.delete(key)
    },
    expired(atMs) {
      const oldPools = firstOf(pools, ({ createdAtMs }) => !isPoolAlive(createdAtMs, atMs))
      const theirs = oldPools.flatMap((pool) => positionsOf.get(pool)?.filter((id) => positions.get(id) === pool) ?? [])
      return [...theirs, ...oldPools, ...firstOf(curves, ({ seenAtMs }) => !isCurveAlive(seenAtMs, atMs))]
    },
  }
}

/** Maps keep their order of insertion, which is nearly that of the instants: the search ends at the first one that lives. */
function firstOf<Address>(addresses: ReadonlyMap<string, Address>, isPast: (address: Address) => boolean): string[] {
  const keys: string[] = []
  for (const [key, address] of addresses) {
    if (!isPast(address)) break
    keys.push(key)
  }
  return keys
}
