/**
 * Checks a payment whose identifier belongs to an earlier purchase of the payer. The payment is not charged,
 * so no facilitator verifies it. The payer must have signed the payment, because only the payer may get the
 * answer again.
 */
import { clientOf } from './limits/client.ts'
import { checksOf } from './limits/recovery.ts'
import { termsRefusal } from './offers/terms.ts'
import type { PaidRequest, PaymentOutcome } from './payment.ts'
import type { ReadPayment } from './payment-reader.ts'
import type { PurchaseDependencies } from './purchase.ts'
import { notLive, retryDownSec } from './unavailable.ts'

type NamedPurchase = Readonly<{ request: PaidRequest; payment: ReadPayment }>

/** The check returns null if the payer signed the payment, and otherwise the outcome for the client. */
export function createNamedCheck({
  refuse,
  guard,
  nowMs,
}: Pick<PurchaseDependencies, 'refuse' | 'guard' | 'nowMs'>): (
  purchase: NamedPurchase,
) => Promise<PaymentOutcome | null> {
  return async ({ request, payment }) => {
    // An expired authorization may be public, so it is no proof that the payer sent this request.
    const unmet = termsRefusal(payment, request.priceUsdMicros, nowMs())
    if (unmet !== null) return refuse(request, { code: 'payment_invalid', reason: unmet })
    const signer = await guard.signerOf(clientOf({ request, payment }), checksOf(payment, request.isClientGone))
    switch (signer) {
      case 'payer':
        return null
      case 'other':
        return refuse(request, { code: 'payment_invalid', reason: payment.network.codes.signature })
      case 'unknown':
        return notLive('facilitator_failed', retryDownSec)
      case 'late':
        return notLive('too_many_at_once', 1)
      default:
        return signer satisfies never
    }
  }
}
