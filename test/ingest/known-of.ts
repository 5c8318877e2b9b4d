import type { DecodeContext } from '../../ingest/chain-a/decode/decode-logs.ts'
import type { KnownAddresses, KnownChainA } from '../../ingest/chain-a/types.ts'
import { nobodyCalled } from '../../ingest/followed-tokens.ts'

export const bookWith = (rest: Partial<KnownAddresses> = {}): KnownAddresses => ({
  pools: new Map(),
  positions: new Map(),
  curves: new Map(),
  followed: nobodyCalled,
  ...rest,
})

/**
 * Returns what ingest knows from a log. Without arguments, this is an empty address book without blocks or
 * facts.
 */
export const knownOf = (rest: Partial<KnownChainA> = {}): KnownChainA => ({
  book: bookWith(),
  blocksFrom: async () => [],
  factIdsFrom: async () => new Map(),
  factsFrom: async () => [],
  ...rest,
})

/** For logs without launchpads. */
export const noCurves: DecodeContext['curves'] = { launchpads: [], found: new Map(), isRefused: () => false }
