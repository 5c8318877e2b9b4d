import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address, EpochMs, QuoteRaw, TokenRaw } from '../../../schemas/units.ts'
import type { ProgramName } from './programs.ts'

/**
 * The data of an event, without the tag bytes that come before it. The code that reads transactions has
 * verified that `program` emitted the event.
 */
export type RawEvent = Readonly<{ program: ProgramName; payload: ViewedBytes }>

/**
 * The place of an event on the chain. If `blockAtMs` is null, the decoder uses the `timestamp` of the event,
 * which is the same time.
 */
export type EventPlace = Omit<ChainPlace, 'blockAtMs'> & Readonly<{ blockAtMs: EpochMs | null }>

/**
 * The pool into which the curve of a mint migrated. `key` is the key under which the mint's facts are
 * recorded. `quoteMint` is the quote coin, or null for SOL.
 */
export type KnownPool = Readonly<{ key: string; quoteMint: Address | null }>

export type EventContext = Readonly<{
  place: EventPlace
  /**
   * Returns the pool with this address. Returns undefined if the pool does not belong to a followed mint.
   * Trades in such a pool are ignored.
   */
  poolOf(pool: Address): KnownPool | undefined
}>

export type DecodedEvent =
  | Readonly<{ kind: 'fact'; key: string; fact: ChainBEvent }>
  /**
   * The opening reserves of a new pool. The migration event that follows in the same transaction gets these
   * reserves.
   */
  | Readonly<{ kind: 'pool-created'; pool: Address; quoteRaw: QuoteRaw; tokenRaw: TokenRaw }>
  | Readonly<{ kind: 'ignored' }>
  /**
   * An event that cannot become a fact: its payload fits no version of the event, or neither the slot nor the
   * event has a time.
   */
  | Readonly<{ kind: 'refused'; reason: string }>

export const ignored: DecodedEvent = { kind: 'ignored' }

/**
 * Returns the block time, or else the event's time, in milliseconds. Returns null if neither the slot nor the
 * event has a time.
 */
export function blockAtMsOf(place: EventPlace, timestamp: bigint | null): EpochMs | null {
  const blockAtMs = place.blockAtMs ?? (timestamp === null ? null : Number(timestamp) * 1000)
  return blockAtMs !== null && Number.isSafeInteger(blockAtMs) ? blockAtMs : null
}

/**
 * Returns the fields that place an event on the chain. Every fact that is decoded from an event has these
 * fields. Returns null if neither the slot nor the event has a time.
 */
export function placeFields(place: EventPlace, timestamp: bigint | null) {
  const blockAtMs = blockAtMsOf(place, timestamp)
  if (blockAtMs === null) return null
  const { blockNumber, txIndex, logIndex, blockHash, txHash } = place
  return { lateSlot: null, lateAtMs: null, blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash }
}
