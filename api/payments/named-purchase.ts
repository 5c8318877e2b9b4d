/**
 * A payment in whose name its payer has bought before. It is charged nothing, so no facilitator is asked; but what was bought
 * is given to nobody else, so the payer has to have signed it.
 */
import { clientOf } from './limits/client.ts'
import { checksOf } from './limits/recovery.ts'
import { termsRefusal } from './offers/terms.ts'
import type { PaidRequest, PaymentOutcome } from './payment.ts'
import type { ReadPayment } from './payment-reader.ts'
import type { PurchaseTools } from './purchase.ts'
import { notLive, retryDownSec } from './unavailable.ts'

type Asked = Readonly<{ request: PaidRequest; payment: ReadPayment }>

/** Null: the payer signed it. */
export function createNamedCheck({
  refuse,
  guard,
  nowMs,
}: Pick<PurchaseTools, 'refuse' | 'guard' | 'nowMs'>): (asked: Asked) => Promise<PaymentOutcome | null> {
  return async ({ request, payment }) => {
    // An authorization that is over is public, and proves nothing.
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
