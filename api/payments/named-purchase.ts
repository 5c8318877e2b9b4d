/**
 * A payment in whose name its payer has bought before. It is charged nothing, so no facilitator is asked; but what was bought
 * is given to nobody else, so the payer has to have signed it.
 */
import type { Client } from './limits/own-limit.ts'
import { createRecoveryBudget } from './limits/recovery-budget.ts'
import { termsRefusal } from './offers/terms.ts'
import type { PaymentOutcome } from './payment.ts'
import type { ReadPayment } from './payment-reader.ts'
import type { PurchaseTools } from './purchase.ts'
import { notLive, retryDownSec } from './unavailable.ts'

type Asked = Readonly<{
  request: Parameters<PurchaseTools['refuse']>[0] & Readonly<{ clientAddress: Client['address'] }>
  payment: ReadPayment
}>

/** Signers recovered within a second: for one address, and in all. */
const recoveredMax = 10
const recoveredOfAllMax = 40

/** Null: the payer signed it. */
export function createNamedCheck({
  refuse,
  nowMs,
}: Pick<PurchaseTools, 'refuse' | 'nowMs'>): (asked: Asked) => Promise<PaymentOutcome | null> {
  const budget = createRecoveryBudget(nowMs, { ofOneMax: recoveredMax, ofAllMax: recoveredOfAllMax })
  return async ({ request, payment }) => {
    // An authorization that is over is public, and proves nothing.
    const unmet = termsRefusal(payment, request.priceUsdMicros, nowMs())
    if (unmet !== null) return refuse(request, { code: 'payment_invalid', reason: unmet })
    if (!budget.take(request.clientAddress)) return notLive('too_many_at_once', 1)
    const signer = await payment.network.signerOf(payment.payload)
    if (signer === 'payer') return null
    return signer === 'other'
      ? refuse(request, { code: 'payment_invalid', reason: payment.network.codes.signature })
      : notLive('facilitator_failed', retryDownSec)
  }
}
