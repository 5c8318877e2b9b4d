import type { ChainBAddress, GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import type { AddressBookDefinition, AddressMaps } from '../chain.ts'
import { isCurveAlive, isPoolAlive } from './lives.ts'
import type { ChainBIngestTypes } from './types.ts'

export const chainBAddressBook: AddressBookDefinition<ChainBIngestTypes> = {
  keyPrefix: 'chain-b/',
  // A reorg of the deepest supported kind, 1,200 slots of 0.4 s, and a wide margin.
  forgetAfterMs: 3_600_000,
  keyOf,
  createMaps: createAddressMaps,
}

function keyOf({ type, data }: ChainBAddress): string {
  return type === 'MintAddress' ? data.mint : data.pool
}

/** Mints and pools are different accounts, so their keys never collide. */
export function createAddressMaps(): AddressMaps<ChainBIngestTypes> {
  const mints = new Map<string, MintAddress>()
  const pools = new Map<string, GraduatedPoolAddress>()
  return {
    known: { mints, pools },
    put({ type, data }) {
      if (type === 'GraduatedPoolAddress') pools.set(data.pool, data)
      else {
        // Reinserted, because expiry scans oldest first.
        mints.delete(data.mint)
        mints.set(data.mint, data)
      }
    },
    drop(key) {
      if (!pools.delete(key)) mints.delete(key)
    },
    expired: (atMs) => [
      ...firstOf(pools, ({ migratedAtMs }) => !isPoolAlive(migratedAtMs, atMs)),
      ...firstOf(mints, ({ seenAtMs }) => !isCurveAlive(seenAtMs, atMs)),
    ],
  }
}

/** Maps keep insertion order, which is nearly that of the instants: the search ends at the first living entry. */
function firstOf<Entry>(entries: ReadonlyMap<string, Entry>, isPast: (entry: Entry) => boolean): string[] {
  const keys: string[] = []
  for (const [key, entry] of entries) {
    if (!isPast(entry)) break
    keys.push(key)
  }
  return keys
}
