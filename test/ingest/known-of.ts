import type { KnownChain } from '../../ingest/source.ts'

/** A log that holds nothing but this book, or at most these blocks and facts. */
export const knownOf = (rest: Partial<KnownChain> = {}): KnownChain => ({
  book: new Map(),
  blocksFrom: async () => [],
  factIdsFrom: async () => new Map(),
  ...rest,
})
