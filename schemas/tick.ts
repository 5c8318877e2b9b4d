/** The tick: the one record that every partition of a stage's topics gets, facts and derived alike. */
import { type AvroValue, enumOf, hex, nullable, recordOf } from './avro.ts'

export const sourceKinds = ['chain', 'simulated', 'recorded'] as const
/** Where a stage's facts come from. */
export type SourceKind = (typeof sourceKinds)[number]

/**
 * Closes what stands before it, in every partition: the source is complete up to this block, and we knew it at `knownAtMs`.
 * The only unit of processing, committing and freshness. `seq` rises by one; `knownAtMs` never falls.
 * `revertedFrom`, set by a reorg, kills the facts of blocks from that number on that stand before the append this tick
 * belongs to. `ethUsd` is the price of the chain's own coin in USD, and `ethUsdAtMs` when its feed gave it: the names on the
 * log are those of the first chain, and code reads them through `coinPriceOf`.
 */
export const tick = recordOf('Tick', [
  { name: 'seq', type: 'long' },
  { name: 'knownAtMs', type: 'long' },
  { name: 'blockNumber', type: 'long' },
  { name: 'blockHash', type: hex },
  { name: 'blockAtMs', type: 'long' },
  { name: 'ethUsd', type: nullable('double') },
  { name: 'ethUsdAtMs', type: nullable('long') },
  { name: 'rulesVersion', type: 'string' },
  { name: 'revertedFrom', type: nullable('long') },
  { name: 'source', type: enumOf('SourceKind', sourceKinds) },
])

export type Tick = AvroValue<typeof tick>

/** What one coin of a chain costs in USD, and when the feed gave that price. */
export type CoinPrice = Readonly<{ usd: number; atMs: number }>

/** Null: no feed has spoken yet, or the stage has none. */
export const coinPriceOf = ({ ethUsd, ethUsdAtMs }: Pick<Tick, 'ethUsd' | 'ethUsdAtMs'>): CoinPrice | null =>
  ethUsd === null || ethUsdAtMs === null ? null : { usd: ethUsd, atMs: ethUsdAtMs }
