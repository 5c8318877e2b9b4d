/** Plausible mistakes about payments. The proof must find each of them. */
import { type Sabotage, sabotagesIn } from '../checkout-copy.ts'

export const sabotages: readonly Sabotage[] = [
  ...sabotagesIn('api/payments/payment-runner.ts', {
    'copies at once do not share a purchase': [
      'inFlight.add(paymentId, payment, { requestId: request.requestId, signedHash, clients, outcome })',
      '',
    ],
    'a payment buys any number of requests': ['first.requestId === requestId && ', ''],
    'any signature gets the answer of a payment': [
      '(first.signedHash === null || first.signedHash === identity.signedHash)',
      'true',
    ],
  }),
  ...sabotagesIn('api/payments/settling.ts', {
    'a payment that is repeated is looked for from then on': [
      'known?.validBeforeMs ?? payment.identity.validBeforeMs',
      'payment.identity.validBeforeMs',
    ],
  }),
  ...sabotagesIn('api/payments/purchase.ts', {
    'a settled payment is settled again': [
      "case 'delivered':\n      return deliver(purchase, known)",
      "case 'delivered':\n      return takePayment(purchase)",
    ],
    'a repeat whose answer fails says that nothing was charged': [
      "isInDoubt(known) ? notLive('outcome_unknown', retrySoonSec) : body",
      'body',
    ],
    'a refused settlement says that nothing was charged': [
      'payer: payment.payer, isUnproven: true })',
      'payer: payment.payer })',
    ],
    'an unknown outcome says that nothing was charged': [
      ": notLive('outcome_unknown', retrySoonSec)\n    default",
      ": notLive('facilitator_failed', retrySoonSec)\n    default",
    ],
  }),
  ...sabotagesIn('api/payments/delivery.ts', {
    'an answer that is late says that nothing was charged': [
      "notLive('answer_delayed', retrySoonSec)",
      "notLive('facilitator_failed', retrySoonSec)",
    ],
    'an answer gets a new date with each repeat': ['(known?.cutAtMs ?? null) === null', 'true'],
  }),
  ...sabotagesIn('api/payments/purchase-refusals.ts', {
    'a repeat that cannot be taken says that nothing was charged': [
      "isInDoubt(known) ? 'outcome_unknown' : reason",
      'reason',
    ],
  }),
  ...sabotagesIn('api/payments/facilitator/settlement.ts', {
    'an unknown outcome is a refusal': [
      "return { kind: 'unknown', transaction, isChainSilent: finding === null }",
      "return { kind: 'refused', reason: 'expired' }",
    ],
    'a refusal is believed': [
      "if (first.kind === 'refused') return reconcileRefused(first.reason, dependencies)",
      "if (first.kind === 'refused') return first",
    ],
  }),
  ...sabotagesIn('api/payments/ledger/ledger-writer.ts', {
    'nothing is recorded before the money moves': ['taken(change, ledger.record)', 'Promise.resolve(true)'],
  }),
  ...sabotagesIn('api/payments/ledger/payment-change.ts', {
    'a refused settlement is released': [
      "case 'unproven':\n      return { ...payment, atMs, state: 'unknown'",
      "case 'unproven':\n      return { ...payment, atMs, state: 'released'",
    ],
    'an unknown outcome is released': [
      "case 'unknown':\n      return { ...payment, atMs, state: 'unknown'",
      "case 'unknown':\n      return { ...payment, atMs, state: 'released'",
    ],
    'a payment that is not found is released': [
      "case 'unpaid':\n      return null",
      "case 'unpaid':\n      return { kind: 'refused', reason: 'expired' }",
    ],
  }),
  ...sabotagesIn('api/payments/body.ts', {
    'a repeat gets a new answer': ['bought ?? ', ''],
    'the answer is made again at another cut': [
      'await request.rebuildBody?.(',
      '(await request.buildBody(paymentId)).bytes ?? (',
    ],
  }),
  ...sabotagesIn('api/payments/ledger/ledger.ts', {
    'what was delivered is forgotten when it has expired': ['Math.max(spentAtMs, atMs + deliveredMs)', 'spentAtMs'],
    'what was paid is forgotten when it has expired': ['Math.max(spentAtMs, atMs + undeliveredMs)', 'spentAtMs'],
    'what is not known is forgotten when it has expired': ['return Number.POSITIVE_INFINITY', 'return spentAtMs'],
    'a restart forgets': ['if (value) fold.apply(await decode(codec, value))', 'if (value) await decode(codec, value)'],
  }),
  ...sabotagesIn('api/payments/evm/probe.ts', {
    'a payment has expired before its time': ['payment.validBeforeMs + certainMs', 'payment.validBeforeMs - 30_000'],
    'the chain is not read far enough back': [' - validityMsMax - clockSlackMs', ''],
  }),
  ...sabotagesIn('api/payments/evm/network.ts', {
    'a payment is known by its bytes': [
      "authorization.from, authorization.nonce].join('|').toLowerCase()",
      "authorization.from, authorization.nonce].join('|').toLowerCase() + '|' + signature",
    ],
  }),
]
