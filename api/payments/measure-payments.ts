import type { Metrics } from '../../infra/metrics/metrics.ts'
import type { PaymentGate, PaymentOutcome } from './payment.ts'

/** All outcomes of a request with a payment. They are exported from the start, so that their rates are known. */
const outcomes = [
  ...['paid', 'payment_required', 'payment_invalid', 'payment_already_used', 'client_gone', 'handler_failed'],
  ...['facilitator_down', 'facilitator_failed', 'ledger_lost', 'outcome_unknown', 'answer_delayed'],
  ...['too_many_refused', 'too_many_unsold', 'too_many_at_once'],
] as const

/** Returns the same gate, which counts its requests and payments. */
export function measurePayments(metrics: Metrics, gate: PaymentGate): PaymentGate {
  const counts = new Map<string, number>(outcomes.map((outcome) => [outcome, 0]))
  let quotes = 0
  let running = 0
  const count = (outcome: string) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  metrics.read('launch_data_quotes_total', () => [[quotes, {}]])
  metrics.read('launch_data_payments_total', () => [...counts].map(([outcome, n]) => [n, { outcome }] as const))
  metrics.read('launch_data_payments_running', () => [[running, {}]])
  metrics.read('launch_data_payments_live', () => [[gate.unavailable() === null ? 1 : 0, {}]])
  metrics.read('launch_data_settled_payments_total', () => [[gate.stats().totals.n, {}]])
  metrics.read('launch_data_revenue_dollars_total', () => [[gate.stats().totals.usd, {}]])
  metrics.read('launch_data_settlement_checks', () =>
    Object.entries(gate.stats().settlements).map(([result, n]) => [n, { result }] as const),
  )
  return {
    ...gate,
    requirePayment(resource) {
      quotes += 1
      return gate.requirePayment(resource)
    },
    async run(request) {
      if (request.payment === null) {
        quotes += 1
        return gate.run(request)
      }
      running += 1
      try {
        const outcome = await gate.run(request)
        count(nameOf(outcome))
        return outcome
      } catch (error) {
        count('handler_failed')
        throw error
      } finally {
        running -= 1
      }
    },
  }
}

function nameOf(outcome: PaymentOutcome): (typeof outcomes)[number] {
  if (outcome.kind === 'paid') return 'paid'
  if (outcome.kind === 'paymentRequired') return outcome.code
  if (outcome.kind === 'unavailable') return outcome.reason
  return outcome.kind === 'clientGone' ? 'client_gone' : 'handler_failed'
}
