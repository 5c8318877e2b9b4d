/** Decodes recorded events as if all of them were in one transaction. */
import type { DecodedTransaction } from '../../../../ingest/chain-b/decode/decode-transaction.ts'
import type { KnownPool } from '../../../../ingest/chain-b/decode/decoded-event.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { decodeWire } from '../../../support/chain-b/decode-wire.ts'
import { type EmittedEvent, signatureOf, transactionOf } from '../../../support/chain-b/encode-events.ts'
import { type RecordedEvent, recordedEvents } from '../../../support/chain-b/fixtures.ts'

const poolEvents = ['BuyEvent', 'SellEvent', 'CreatePoolEvent']

/** Returns the event as its program emitted it. */
export const emittedOf = ({ event, payload }: RecordedEvent): EmittedEvent => ({
  program: poolEvents.includes(event) ? 'pump-swap' : 'pump',
  payload: Buffer.from(payload, 'base64'),
})

export const decode = (
  events: readonly EmittedEvent[],
  pools?: ReadonlyMap<Hex, KnownPool>,
  atMs: number | null = null,
): DecodedTransaction => decodeWire(transactionOf(events, signatureOf(1)), { atMs, ...(pools && { pools }) })

/** Returns the first recorded event with this name and length. */
export const recorded = (event: string, length?: number): RecordedEvent =>
  recordedEvents().find(
    (its) => its.event === event && (length === undefined || Buffer.from(its.payload, 'base64').length === length),
  )!
