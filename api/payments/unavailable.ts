/** The refusals while payments cannot be taken. */
import type { UnavailableOutcome } from './payment.ts'

const messages: Readonly<Record<UnavailableOutcome['reason'], string>> = {
  facilitator_down: 'Payments cannot be taken right now; nothing was charged',
  ledger_lost: 'This server has stopped taking payments; nothing was charged',
  outcome_unknown:
    'It is not known yet whether the payment arrived. Repeat the request with the same PAYMENT-SIGNATURE: it is charged at most once',
}

export const notLive = (reason: UnavailableOutcome['reason'], retryAfterSec: number): UnavailableOutcome => ({
  kind: 'unavailable',
  code: 'payments_not_live',
  reason,
  message: messages[reason],
  retryAfterSec,
})
