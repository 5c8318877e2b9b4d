import { expect } from 'chai'
import { measurePayments } from '../../../api/payments/measure-payments.ts'
import type { PaymentGate, PaymentOutcome } from '../../../api/payments/payment.ts'
import { createMetrics } from '../../../infra/metrics/metrics.ts'
import { samplesOf } from '../../support/metric-samples.ts'

const totals = { n: 12, usd: 0.25 }
const settlements = { waiting: 1, found: 2, missing: 3, unchecked: 4 }

/** A gate that gives the next outcome for each payment. Its other methods must not be called. */
function createGate(outcomes: (() => Promise<PaymentOutcome>)[]): PaymentGate {
  const gate: Partial<PaymentGate> = {
    unavailable: () => null,
    requirePayment: async () => ({ kind: 'paymentRequired' }) as never,
    run: () => outcomes.shift()?.() ?? Promise.reject(new RangeError('no outcome is left')),
    stats: () => ({ totals, days: [], payFailures: [], settlements }),
  }
  return gate as PaymentGate
}

const request = { payment: { header: 'x' } } as never
const unpaid = { payment: null } as never
const outcomeOf = (outcome: object) => async () => outcome as PaymentOutcome

describe('the metrics of payments', () => {
  const samplesNamed = async (metrics: ReturnType<typeof createMetrics>, pattern: RegExp) =>
    (await samplesOf(metrics)).filter((line) => pattern.test(line))

  it('count each payment by its outcome, and requests without a payment apart', async () => {
    const metrics = createMetrics('serve')
    const gate = measurePayments(
      metrics,
      createGate([
        outcomeOf({ kind: 'paymentRequired', code: 'payment_required' }),
        outcomeOf({ kind: 'paid' }),
        outcomeOf({ kind: 'paid' }),
        outcomeOf({ kind: 'paymentRequired', code: 'payment_invalid' }),
        outcomeOf({ kind: 'unavailable', code: 'payments_not_live', reason: 'facilitator_down' }),
        outcomeOf({ kind: 'clientGone' }),
        outcomeOf({ kind: 'handlerFailed' }),
        () => Promise.reject(new RangeError('a bug')),
      ]),
    )
    await gate.requirePayment({} as never)
    await gate.run(unpaid)
    for (let index = 0; index < 6; index++) await gate.run(request)
    expect(await gate.run(request).catch((error) => error.message)).to.equal('a bug')
    expect(await samplesNamed(metrics, /^(quotes|payments_total.* [1-9]|payments_running)/)).to.deep.equal([
      'quotes_total 2',
      'payments_total{outcome="paid"} 2',
      'payments_total{outcome="payment_invalid"} 1',
      'payments_total{outcome="client_gone"} 1',
      'payments_total{outcome="handler_failed"} 2',
      'payments_total{outcome="facilitator_down"} 1',
      'payments_running 0',
    ])
    expect(await samplesNamed(metrics, /^payments_total.* 0$/), 'outcomes that have not happened').to.have.lengthOf(9)
  })

  it('give the payments that are running, those of the ledger, and whether payments are taken', async () => {
    const metrics = createMetrics('serve')
    let finish: (outcome: PaymentOutcome) => void = () => {}
    const slow = () =>
      new Promise<PaymentOutcome>((resolve) => {
        finish = resolve
      })
    const gate = measurePayments(metrics, createGate([slow]))
    const running = gate.run(request)
    expect(await samplesNamed(metrics, /^(payments_running|payments_live|settle|revenue)/)).to.deep.equal([
      'payments_running 1',
      'payments_live 1',
      'settled_payments_total 12',
      'revenue_dollars_total 0.25',
      'settlement_checks{result="waiting"} 1',
      'settlement_checks{result="found"} 2',
      'settlement_checks{result="missing"} 3',
      'settlement_checks{result="unchecked"} 4',
    ])
    finish({ kind: 'clientGone' })
    await running
    expect(await samplesNamed(metrics, /^payments_running/)).to.deep.equal(['payments_running 0'])
  })
})
