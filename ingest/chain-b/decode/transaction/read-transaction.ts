import type { TxHash } from '../../../../schemas/units.ts'
import type { RawEvent } from '../decoded-event.ts'
import { innerEvents } from './inner-events.ts'
import { logEvents } from './log-events.ts'
import { readMessage } from './message.ts'
import { textsOf, type WireTransaction } from './wire.ts'

/**
 * The part of a transaction from which events are read: the inner instructions or the log lines. Both contain
 * every event. However, a node may cut long logs, but never cuts inner instructions.
 */
export type Channel = 'inner' | 'logs'

export type ReadTransaction =
  | Readonly<{ kind: 'read'; signature: TxHash; events: readonly RawEvent[] }>
  /** The transaction failed and changed nothing, even if its logs have events. */
  | Readonly<{ kind: 'failed' }>
  /** The events cannot be read from this part of the transaction. */
  | Readonly<{
      kind: 'refused'
      reason: 'unreadable' | 'no-inner-instructions' | 'no-logs' | 'truncated' | 'unbalanced'
    }>

/** Returns the events of the pump and PumpSwap programs in a transaction, in order. */
export function readTransaction({ transaction, meta }: WireTransaction, channel: Channel): ReadTransaction {
  if (!meta || typeof meta !== 'object') return { kind: 'refused', reason: 'unreadable' }
  if (meta.err !== null && meta.err !== undefined) return { kind: 'failed' }
  const message = readMessage(transaction)
  if (message === null) return { kind: 'refused', reason: 'unreadable' }
  const { signature } = message
  if (channel === 'inner') {
    const events = innerEvents(message, meta)
    return events === null ? { kind: 'refused', reason: 'no-inner-instructions' } : { kind: 'read', signature, events }
  }
  const lines = textsOf(meta.logMessages)
  if (lines === null) return { kind: 'refused', reason: 'no-logs' }
  const events = logEvents(lines)
  return typeof events === 'string' ? { kind: 'refused', reason: events } : { kind: 'read', signature, events }
}
