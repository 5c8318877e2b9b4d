/** The outcomes without an answer whose reason does not depend on the requested data. */
import type { UnavailableOutcome } from './payment.ts'

type Reason = UnavailableOutcome['reason']

const messages: Readonly<Record<Reason, string>> = {
  facilitator_down: 'Payments cannot be taken right now; this request was not charged',
  facilitator_failed:
    'The facilitator could not check this payment; this request was not charged. Repeat the request with the same PAYMENT-SIGNATURE, or sign a new payment',
  ledger_lost: 'This server has stopped taking payments; this request was not charged',
  outcome_unknown:
    'It is not known yet whether the payment arrived. Repeat the request with the same PAYMENT-SIGNATURE: it is charged at most once, and once it is paid the repeat gets the answer',
  answer_delayed:
    'The payment has arrived, but its answer cannot be read right now. Repeat the request with the same PAYMENT-SIGNATURE: it gets the answer and costs nothing more',
  too_many_refused:
    'Too many payments from this address were refused within a minute, so this one did not get its turn; this request was not charged. Wait and repeat the request with the same PAYMENT-SIGNATURE',
  too_many_unsold:
    'Too many answers for this payer within a minute were not sold, because the client disconnected, the payment did not settle or there was nothing to sell; this request was not charged. Wait and repeat the request',
  too_many_at_once:
    'Too many payments are being checked, so this one did not get its turn; this request was not charged. Wait and repeat the request with the same PAYMENT-SIGNATURE',
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
