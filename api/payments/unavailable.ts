/**
 * The outcomes of a payment for which the service gives no answer, for example because the facilitator is
 * down.
 */
import type { UnavailableOutcome } from './payment.ts'

type Reason = UnavailableOutcome['reason']

const messages: Readonly<Record<Reason, string>> = {
  facilitator_down:
    'The service cannot take payments at the moment. This request was not charged. Wait, then repeat the request',
  facilitator_failed:
    'The facilitator could not check this payment. This request was not charged. Repeat the request with the same PAYMENT-SIGNATURE, or sign a new payment',
  ledger_lost: 'This server has stopped taking payments. This request was not charged. Wait, then repeat the request',
  outcome_unknown:
    'It is not known yet whether the payment arrived. Repeat the request with the same PAYMENT-SIGNATURE. The payment is charged at most one time. If the payment arrived, the repeated request gets the answer',
  answer_delayed:
    'The payment has arrived, but its answer cannot be read at the moment. Repeat the request with the same PAYMENT-SIGNATURE. The repeated request gets the answer and costs nothing more',
  too_many_refused:
    'Too many payments from this address were refused within a minute, so this payment was not checked. This request was not charged. Wait, then repeat the request with the same PAYMENT-SIGNATURE',
  too_many_unsold:
    'Too many requests of this payer ended without a sale within a minute. The client disconnected, the payment did not settle, or there was nothing to sell. This request was not charged. Wait, then repeat the request',
  too_many_at_once:
    'Too many payments are being checked at the moment, so this payment was not checked. This request was not charged. Wait, then repeat the request with the same PAYMENT-SIGNATURE',
}

export const notLive = (reason: Reason, retryAfterSec: number): UnavailableOutcome => ({
  kind: 'unavailable',
  code: reason === 'answer_delayed' ? 'warming_up' : 'payments_not_live',
  reason,
  message: messages[reason],
  retryAfterSec: Math.max(1, retryAfterSec),
})

/** The value of Retry-After while the facilitator is down, in seconds. */
export const retryDownSec = 5
