/** The outcomes of a payment that is refused or cannot be taken. They say "nothing was charged" only if that is certain. */
import { isInDoubt } from './ledger/payment-change.ts'
import { mayBeForgotten } from './offers/terms.ts'
import type { PaymentOutcome, UnavailableOutcome } from './payment.ts'
import type { Purchase } from './purchase.ts'
import { notLive } from './unavailable.ts'

/**
 * Returns the outcome for a payment that cannot be taken now. It is `outcome_unknown` if an earlier request
 * sent the payment to the facilitator. Otherwise nothing was charged.
 */
export function unavailable(
  { known, request, dependencies: tools }: Purchase,
  reason: UnavailableOutcome['reason'],
  retryAfterSec: number,
) {
  if (!isInDoubt(known)) tools.noteFailed(request, reason)
  return notLive(isInDoubt(known) ? 'outcome_unknown' : reason, retryAfterSec)
}

type Refused = Readonly<{ reason: string; payer?: string; isUnproven?: boolean }>

export async function refuseInvalid(
  { dependencies: tools, request, payment, known }: Purchase,
  { reason, payer, isUnproven = false }: Refused,
): Promise<PaymentOutcome> {
  // `payer` is given only if the payment was sent to the facilitator for settlement.
  const isForgotten = payer === undefined && known === undefined && mayBeForgotten(payment.identity, tools.nowMs())
  const receipt = payer === undefined ? {} : { receipt: { network: payment.network.network, payer } }
  const outcome = await tools.refuse(request, { code: 'payment_invalid', reason, isUnproven, isForgotten, ...receipt })
  return outcome.kind === 'unavailable' && isUnproven ? notLive('outcome_unknown', outcome.retryAfterSec) : outcome
}

/**
 * Refuses a payment that the facilitator found invalid. If the nonce was already used, an earlier use may
 * have paid the seller. The text must then not say "not charged".
 */
export const refuseVerified = (purchase: Purchase, reason: string): Promise<PaymentOutcome> => {
  const { request, known, dependencies: tools } = purchase
  return !isInDoubt(known) && /nonce_(already_)?used/.test(reason)
    ? tools.refuse(request, { code: 'payment_already_used' })
    : refuseInvalid(purchase, { reason, isUnproven: isInDoubt(known) })
}
