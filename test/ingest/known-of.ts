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

/** Returns a log that has only this book, and optionally some blocks and facts. */
export const knownOf = (rest: Partial<KnownChainA> = {}): KnownChainA => ({
  book: bookWith(),
  blocksFrom: async () => [],
  factIdsFrom: async () => new Map(),
  factsFrom: async () => [],
  ...rest,
})

/** For logs without launchpads. */
export const noCurves: DecodeContext['curves'] = { launchpads: [], found: new Map(), isRefused: () => false }
