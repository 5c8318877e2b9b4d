/**
 * Schemas that give fields of records special types (flavors, see `units.ts`). A flavor shows the unit or the
 * identity of a value to the compiler.
 */
import { hex, integer } from './avro.ts'
import type {
  Address,
  BlockHash,
  BlockNumber,
  CoinRaw,
  DurationMs,
  EpochMs,
  Lamports,
  MarketId,
  PoolId,
  PositionId,
  QuoteRaw,
  SqrtPriceX96,
  TokenRaw,
  TxHash,
  Wei,
} from './units.ts'

/**
 * A schema with a flavor, a type that only the compiler sees. At run time a flavor has no effect, so it does
 * not change a released schema.
 */
type Flavoring<Schema, Value> = Schema & { readonly __value?: Value }

export const epochMs: Flavoring<'long', EpochMs> = 'long'
export const durationMs: Flavoring<'long', DurationMs> = 'long'
export const block: Flavoring<'long', BlockNumber> = 'long'

export const address: Flavoring<typeof hex, Address> = hex
export const poolId: Flavoring<typeof hex, PoolId> = hex
export const marketId: Flavoring<typeof hex, MarketId> = hex
export const txHash: Flavoring<typeof hex, TxHash> = hex
export const blockHash: Flavoring<typeof hex, BlockHash> = hex
export const positionId: Flavoring<typeof hex, PositionId> = hex

export const wei: Flavoring<typeof integer, Wei> = integer
export const lamports: Flavoring<typeof integer, Lamports> = integer
export const coinRaw: Flavoring<typeof integer, CoinRaw> = integer
export const quoteRaw: Flavoring<typeof integer, QuoteRaw> = integer
export const tokenRaw: Flavoring<typeof integer, TokenRaw> = integer
export const sqrtPriceX96: Flavoring<typeof integer, SqrtPriceX96> = integer
