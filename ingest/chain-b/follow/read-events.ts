import type { TxHash } from '../../../schemas/units.ts'
import type { RawEvent } from '../decode/decoded-event.ts'
import { readTransaction } from '../decode/transaction/read-transaction.ts'
import type { NodeTransaction } from '../node/reader.ts'

/** A transaction that succeeded, with its events of the pump and PumpSwap programs. */
export type EventTransaction = Readonly<{
  /** The signature in base58, as the node lists it. */
  signature: string
  txHash: TxHash
  /** The index of the transaction in its slot. Null if the node did not give the index. */
  index: number | null
  events: readonly RawEvent[]
}>

type EventsIn =
  | Readonly<{ kind: 'read'; transaction: EventTransaction }>
  | Readonly<{ kind: 'failed' }>
  | Readonly<{ kind: 'refused'; reason: string }>

/**
 * Reads the events from the inner instructions. If the node has no inner instructions, reads the events from
 * the log lines.
 */
export function eventsIn({ signature, index, wire }: NodeTransaction): EventsIn {
  const inner = readTransaction(wire, 'inner')
  const isKept = inner.kind !== 'refused' || inner.reason !== 'no-inner-instructions'
  const read = isKept ? inner : readTransaction(wire, 'logs')
  if (read.kind !== 'read') return read
  return { kind: 'read', transaction: { signature, txHash: read.signature, index, events: read.events } }
}
