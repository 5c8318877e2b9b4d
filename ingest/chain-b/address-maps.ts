import type { ChainBAddress, GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import type { AddressBookDefinition, AddressMaps } from '../chain.ts'
import { type FollowedTokens, nobodyCalled } from '../followed-tokens.ts'
import { isMintKept, isPoolAlive } from './lives.ts'
import type { ChainBIngestTypes } from './types.ts'

export const chainBAddressBook: AddressBookDefinition<ChainBIngestTypes> = {
  keyPrefix: 'chain-b/',
  // The time for which the address book still keeps an expired entry, in milliseconds. After a reorg, ingest
  // may need entries that had not expired in the replaced slots. The deepest supported reorg replaces 1,200
  // slots of 0.4 s, which is 8 minutes. The rest is margin.
  forgetAfterMs: 3_600_000,
  keyOf,
  createMaps: createAddressMaps,
}

function keyOf({ type, data }: ChainBAddress): string {
  return type === 'MintAddress' ? data.mint : data.pool
}

/**
 * Creates the maps of mints and pools. `drop` takes a key without a type, because a mint and a pool never
 * have the same address.
 */
export function createAddressMaps(followed: FollowedTokens = nobodyCalled): AddressMaps<ChainBIngestTypes> {
  const mints = new Map<string, MintAddress>()
  const pools = new Map<string, GraduatedPoolAddress>()
  return {
    known: { mints, pools, followed },
    put({ type, data }) {
      if (type === 'GraduatedPoolAddress') pools.set(data.pool, data)
      else {
        // Moves the entry to the end of the map, because `expired` needs the oldest entries at the beginning.
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
 * Returns the keys of the expired entries. Maps keep the insertion order, which is nearly the time order. An
 * entry stays alive for longer if a chat recommends its token. The search ends at the first entry that would
 * be alive even without a recommendation.
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
