import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address, EpochMs, QuoteRaw, TokenRaw } from '../../../schemas/units.ts'
import type { ProgramName } from './programs.ts'

/**
 * An event without the tag bytes that come before it. The code that reads transactions has verified that
 * `program` emitted the event.
 */
export type RawEvent = Readonly<{ program: ProgramName; payload: ViewedBytes }>

/**
 * The place of an event on the chain. If `blockAtMs` is null, the `timestamp` of the event is used, which is
 * the same time.
 */
export type EventPlace = Omit<ChainPlace, 'blockAtMs'> & Readonly<{ blockAtMs: EpochMs | null }>

/**
 * The canonical pool of a graduated mint. `key` is the key of the mint's records. `quoteMint` is the quote
 * coin, or null for SOL.
 */
export type KnownPool = Readonly<{ key: string; quoteMint: Address | null }>

export type EventContext = Readonly<{
  place: EventPlace
  /** Returns undefined if the pool belongs to no followed mint. Trades in this pool are then ignored. */
  poolOf(pool: Address): KnownPool | undefined
}>

export type DecodedEvent =
  | Readonly<{ kind: 'fact'; key: string; fact: ChainBEvent }>
  /**
   * The opening reserves of a new pool. The migration that follows in the same transaction gets these
   * reserves.
   */
  | Readonly<{ kind: 'pool-created'; pool: Address; quoteRaw: QuoteRaw; tokenRaw: TokenRaw }>
  | Readonly<{ kind: 'ignored' }>
  /** The payload cannot be of any version of the event, or neither the slot nor the event has a time. */
  | Readonly<{ kind: 'refused'; reason: string }>

export const ignored: DecodedEvent = { kind: 'ignored' }

/** Returns the block time, or else the event's time. Null if neither the slot nor the event has a time. */
export function blockAtMsOf(place: EventPlace, timestamp: bigint | null): EpochMs | null {
  const blockAtMs = place.blockAtMs ?? (timestamp === null ? null : Number(timestamp) * 1000)
  return blockAtMs !== null && Number.isSafeInteger(blockAtMs) ? blockAtMs : null
}

/**
 * Returns the fields for the place on the chain. Every fact that comes from an event has these fields. Null
 * if neither the slot nor the event has a time.
 */
export function placeFields(place: EventPlace, timestamp: bigint | null) {
  const blockAtMs = blockAtMsOf(place, timestamp)
  if (blockAtMs === null) return null
  const { blockNumber, txIndex, logIndex, blockHash, txHash } = place
  return { lateSlot: null, lateAtMs: null, blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash }
}
