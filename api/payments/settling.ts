/** Builds the record of a payment that is written before the payment is sent to the facilitator. */
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { PurchaseInput } from './purchase.ts'

type Taken = Pick<PurchaseInput, 'request' | 'payment' | 'known'>

export function settlingOf(
  { request, payment, known }: Taken,
  { cutAtMs, atMs }: Readonly<{ cutAtMs: EpochMs | null; atMs: EpochMs }>,
): PaymentChanged {
  const { paymentId, payer, signedHash, signatureHash = null } = payment.identity
  return {
    paymentId,
    payer,
    // Keeps the value of the payment's first record. If the payment has no end of validity, the value depends on when the payment was first
    // seen. The search of the chain begins at that time.
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
