import type { ChainAAddress, CurveAddress, PoolAddress } from '../../schemas/chain-a/addresses.ts'
import { hourMs, type PoolId, type PositionId } from '../../schemas/units.ts'
import type { AddressBookDefinition, AddressMaps } from '../chain.ts'
import { type FollowedTokens, nobodyCalled } from '../followed-tokens.ts'
import { isCurveAlive, isPoolAlive } from './lives.ts'
import type { ChainAIngestTypes } from './types.ts'

export const chainAAddressBook: AddressBookDefinition<ChainAIngestTypes> = {
  // Keys of chain A have no prefix, because they are older than the second chain.
  keyPrefix: '',
  // The deepest reorg that ingest supports takes 4 h on the slowest chain (1,200 blocks of 12 s). The other 2
  // h are margin.
  forgetAfterMs: 6 * hourMs,
  keyOf,
  createMaps: createAddressMaps,
}

function keyOf({ type, data }: ChainAAddress): string {
  switch (type) {
    case 'PoolAddress':
      return data.pool
    case 'PositionAddress':
      return data.positionId
    case 'CurveAddress':
      return data.curve
  }
}

/** Keys of different kinds never collide: pool ids and addresses are hashes, and position numbers begin at 1. */
export function createAddressMaps(followed: FollowedTokens = nobodyCalled): AddressMaps<ChainAIngestTypes> {
  const pools = new Map<string, PoolAddress>()
  const positions = new Map<string, PoolId>()
  const positionsOf = new Map<string, string[]>()
  const curves = new Map<string, CurveAddress>()

  const putPosition = (positionId: PositionId, poolKey: PoolId) => {
    // Uses the string of the pool's entry, so that thousands of positions share one copy of the id.
    const pool = pools.get(poolKey)?.pool
    if (pool === undefined || positions.get(positionId) === pool) return
    positions.set(positionId, pool)
    const ofPool = positionsOf.get(pool)
    if (ofPool) ofPool.push(positionId)
    else positionsOf.set(pool, [positionId])
  }

  return {
    known: { pools, positions, curves, followed },
    put({ type, data }) {
      switch (type) {
        case 'PoolAddress':
          pools.set(data.pool, data)
          break
        case 'PositionAddress':
          putPosition(data.positionId, data.pool)
          break
        case 'CurveAddress':
          // Moves the entry to the end of the map. The search for expired entries begins at the start of the
          // map.
          curves.delete(data.curve)
          curves.set(data.curve, data)
      }
    },
    drop(key) {
      if (pools.delete(key)) positionsOf.delete(key)
      else if (!positions.delete(key)) curves.delete(key)
    },
    expired(atMs) {
      const isPast = (pool: PoolAddress) => !isPoolAlive(pool, atMs, nobodyCalled)
      const isKept = (pool: PoolAddress) => isPoolAlive(pool, atMs, followed)
      const oldPools = firstOf(pools, isPast, isKept)
      // A position expires with its pool.
      const theirs = oldPools.flatMap((pool) => positionsOf.get(pool)?.filter((id) => positions.get(id) === pool) ?? [])
      return [...theirs, ...oldPools, ...firstOf(curves, ({ seenAtMs }) => !isCurveAlive(seenAtMs, atMs))]
    },
  }
}

/**
 * Returns the keys of the expired entries. Maps keep insertion order, which is nearly time order. So the search ends at the first entry
 * that has not expired. Entries of called tokens are skipped.
 */
function firstOf<Address>(
  addresses: ReadonlyMap<string, Address>,
  isPast: (address: Address) => boolean,
  isKept: (address: Address) => boolean = () => false,
): string[] {
  const keys: string[] = []
  for (const [key, address] of addresses) {
    if (!isPast(address)) break
    if (!isKept(address)) keys.push(key)
  }
  return keys
}
