/** The record of a payment before it is handed to the facilitator. */
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { PurchaseInput } from './purchase.ts'

type Taken = Pick<PurchaseInput, 'request' | 'payment' | 'known'>

export function settlingOf(
  { request, payment, known }: Taken,
  { cutAtMs, atMs }: Readonly<{ cutAtMs: EpochMs; atMs: EpochMs }>,
): PaymentChanged {
  const { paymentId, payer, signedHash, signatureHash = null } = payment.identity
  return {
    paymentId,
    payer,
    // The first record's value is kept. For a payment without an end of validity, this value depends on when the
    // payment was first seen, and the search on the chain begins there.
    validBeforeMs: known?.validBeforeMs ?? payment.identity.validBeforeMs,
    signedHash,
    signatureHash,
    clientPaymentId: payment.clientPaymentId,
    state: 'settling',
    atMs,
    network: payment.network.network,
    route: request.routeId,
    requestId: request.requestId,
    cutAtMs,
    usdMicros: request.priceUsdMicros,
    transaction: null,
    reason: null,
  }
}
