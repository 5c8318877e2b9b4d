import type { ChainBAddress, GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import type { AddressBookDefinition, AddressMaps } from '../chain.ts'
import { type FollowedTokens, nobodyCalled } from '../followed-tokens.ts'
import { isMintKept, isPoolAlive } from './lives.ts'
import type { ChainBIngestTypes } from './types.ts'

export const chainBAddressBook: AddressBookDefinition<ChainBIngestTypes> = {
  keyPrefix: 'chain-b/',
  // Expired entries stay for an hour. After a reorg, ingest may need entries that were still followed in the
  // replaced slots. The deepest supported reorg replaces 8 minutes, which is 1,200 slots of 0.4 s. The rest
  // is margin.
  forgetAfterMs: 3_600_000,
  keyOf,
  createMaps: createAddressMaps,
}

function keyOf({ type, data }: ChainBAddress): string {
  return type === 'MintAddress' ? data.mint : data.pool
}

/** Creates the maps of mints and pools. One key is enough for both maps, because a mint and a pool never have the same address. */
export function createAddressMaps(followed: FollowedTokens = nobodyCalled): AddressMaps<ChainBIngestTypes> {
  const mints = new Map<string, MintAddress>()
  const pools = new Map<string, GraduatedPoolAddress>()
  return {
    known: { mints, pools, followed },
    put({ type, data }) {
      if (type === 'GraduatedPoolAddress') pools.set(data.pool, data)
      else {
        // Moves the entry to the end of the map, so that the oldest entries come first. `expired` begins with
        // the oldest entry.
        mints.delete(data.mint)
        mints.set(data.mint, data)
      }
    },
    drop(key) {
      if (!pools.delete(key)) mints.delete(key)
    },
    expired(atMs) {
      const ofPools = expiredOf(pools, (each, calls) => isPoolAlive(each, atMs, calls), followed)
      return [...ofPools, ...expiredOf(mints, (each, calls) => isMintKept(each, atMs, calls), followed)]
    },
  }
}

/**
 * Returns the keys of the expired entries. Maps keep the insertion order, which is nearly the time order. A
 * chat's call of a token keeps its entry alive for longer. The search ends at the first entry that is alive
 * without a call.
 */
function expiredOf<Entry>(
  entries: ReadonlyMap<string, Entry>,
  isAlive: (entry: Entry, calls: FollowedTokens) => boolean,
  followed: FollowedTokens,
): string[] {
  const keys: string[] = []
  for (const [key, entry] of entries) {
    if (isAlive(entry, nobodyCalled)) break
    if (!isAlive(entry, followed)) keys.push(key)
  }
  return keys
}
