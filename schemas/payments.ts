/**
 * The ledger of the payment gate. It has one record for each change of a payment's state. Topic `payments`.
 * No field holds a signature or other data with which money could be spent.
 */
import { type AvroValue, enumOf, nullable, recordOf } from './avro.ts'
import { epochMs } from './flavors.ts'

/**
 * The states of a payment.
 * - `settling`: the facilitator is settling the payment.
 * - `settled`: the payment is on chain.
 * - `delivered`: the payment is on chain, and the buyer has the answer.
 * - `released`: the payment was certainly not made.
 * - `unknown`: the payment may have been made, and must be reconciled.
 */
const paymentStates = ['settling', 'settled', 'delivered', 'released', 'unknown'] as const

const paymentChanged = recordOf('PaymentChanged', [
  {
    name: 'paymentId',
    type: 'string',
    doc: 'network|asset|payer|nonce, lower case: the identity on chain',
  },
  { name: 'state', type: enumOf('PaymentState', paymentStates) },
  { name: 'atMs', type: epochMs },
  { name: 'payer', type: 'string' },
  { name: 'network', type: 'string' },
  { name: 'route', type: 'string', doc: "'GET /v1/…' pattern, aliases folded" },
  {
    name: 'requestId',
    type: 'string',
    doc: 'route and canonical parameters: what was bought',
  },
  {
    name: 'cutAtMs',
    type: nullable(epochMs),
    doc: 'the cut of the answer, from which its bytes can be made again',
  },
  { name: 'usdMicros', type: 'long' },
  { name: 'validBeforeMs', type: epochMs },
  { name: 'transaction', type: nullable('string') },
  { name: 'reason', type: nullable('string'), doc: 'of released and unknown' },
  {
    name: 'signedHash',
    type: nullable('string'),
    doc: 'of the authorization and the very bytes of its signature: who gets the answer again. Null in records from before it was kept',
    default: null,
  },
  {
    name: 'signatureHash',
    type: nullable('string'),
    doc: 'of the bytes of its signature alone, where a contract could take them for another payment too',
    default: null,
  },
  {
    name: 'clientPaymentId',
    type: nullable('string'),
    doc: 'the payment-identifier that its payer gave it, if any',
    default: null,
  },
])

export const paymentSchemas = { PaymentChanged: paymentChanged } as const

export type PaymentChanged = AvroValue<typeof paymentChanged>
