/**
 * The tick: the record that closes a time step. It is the only record that is written to every partition of
 * the fact topic and the derived topic of a stage.
 */
import { type AvroValue, enumOf, nullable, recordOf } from './avro.ts'
import { block, blockHash, epochMs } from './flavors.ts'
import type { EpochMs } from './units.ts'

const sourceKinds = ['chain', 'simulated', 'recorded'] as const
/** The kind of source that a stage's facts come from. */
export type SourceKind = (typeof sourceKinds)[number]

/**
 * Closes the records before it in every partition. The facts are complete up to this block, and ingest knew
 * this at `knownAtMs`. Processing, commits and freshness always concern whole ticks.
 * - `seq` rises by one. `knownAtMs` never falls.
 * - `revertedFrom` reports a reorg: earlier facts of blocks from this number on are no longer valid.
 * - `ethUsd` is the price of the chain's own coin in USD, and `ethUsdAtMs` is the time of that price. The
 *   names come from the first chain. Code reads these fields with `coinPriceOf`.
 */
export const tick = recordOf('Tick', [
  { name: 'seq', type: 'long' },
  { name: 'knownAtMs', type: epochMs },
  { name: 'blockNumber', type: block },
  { name: 'blockHash', type: blockHash },
  { name: 'blockAtMs', type: epochMs },
  { name: 'ethUsd', type: nullable('double') },
  { name: 'ethUsdAtMs', type: nullable(epochMs) },
  { name: 'rulesVersion', type: 'string' },
  { name: 'revertedFrom', type: nullable(block) },
  { name: 'source', type: enumOf('SourceKind', sourceKinds) },
])

export type Tick = AvroValue<typeof tick>

/** The price of a chain's coin in USD, and the time that the feed gives for this price. */
export type CoinPrice = Readonly<{ usd: number; atMs: EpochMs }>

/**
 * Returns the price of the chain's coin. Returns null if no price is known yet, or if the chain has no price
 * feed.
 */
export const coinPriceOf = ({ ethUsd, ethUsdAtMs }: Pick<Tick, 'ethUsd' | 'ethUsdAtMs'>): CoinPrice | null =>
  ethUsd === null || ethUsdAtMs === null ? null : { usd: ethUsd, atMs: ethUsdAtMs }
