import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'

/** A fact of the test market, built when the time of its block is known. */
export type MarketEvent = Readonly<{ atSecond: number; make: (blockAtMs: number) => ChainAFact }>
