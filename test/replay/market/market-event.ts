import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'

/** A fact of the test market, made once its block is known. */
export type MarketEvent = Readonly<{ atSecond: number; make: (blockAtMs: number) => ChainAFact }>
