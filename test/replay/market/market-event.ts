import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'

/** A fact of the test data. `make` builds the fact as soon as the time of its block is known. */
export type MarketEvent = Readonly<{ atSecond: number; make: (blockAtMs: number) => ChainAFact }>
