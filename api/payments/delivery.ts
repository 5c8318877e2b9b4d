/** Gives the answer of a payment whose money is there, or is believed to be there. */
import { crashPoint } from '../../infra/crash-points.ts'
import type { PaymentChanged } from '../../schemas/payments.ts'
import { type Body, bodyOfSettled } from './body.ts'
import { isInDoubt } from './ledger/payment-change.ts'
import type { PaidRequest, PaymentOutcome } from './payment.ts'
import type { Purchase } from './purchase.ts'
import { toPaid } from './receipt.ts'
import { notLive } from './unavailable.ts'

/** Returns whether the answer has no date yet, because it gets its date when it is first sent. */
export const isUndated = (
  { dateWhenSent }: Pick<PaidRequest, 'dateWhenSent'>,
  known: PaymentChanged | undefined,
): boolean => dateWhenSent !== undefined && (known?.cutAtMs ?? null) === null

const retrySoonSec = 2

/** `built`: the body, if it was just built. */
export async function deliver(purchase: Purchase, payment: PaymentChanged, built?: Body): Promise<PaymentOutcome> {
  const { request, dependencies: tools, isEveryClientGone } = purchase
  // An answer that nobody can get keeps its time for the next request.
  if (isUndated(request, payment) && isEveryClientGone()) return { kind: 'clientGone' }
  const owed = await datedOf(purchase, payment)
  if (owed === null) return notLive(isInDoubt(payment) ? 'outcome_unknown' : 'answer_delayed', retrySoonSec)
  const body = built ?? (await bodyOfSettled(request, tools.answers, { ...tools, payment: owed, isEveryClientGone }))
  if (body.kind === 'built') return toPaid(owed, body)
  const { route, transaction } = owed
  tools.logger.error({ err: body.error, route, transaction }, 'the answer of a settled payment cannot be read')
  return notLive('answer_delayed', retrySoonSec)
}

/**
 * Returns the payment with the date of its answer. The date is recorded before the answer is sent, because a repeat must
 * get the same bytes. Returns null if the date could not be recorded.
 */
async function datedOf(
  { request, dependencies: { ledgerWriter, nowMs } }: Purchase,
  payment: PaymentChanged,
): Promise<PaymentChanged | null> {
  if (!request.dateWhenSent || !isUndated(request, payment)) return payment
  const dated = { ...payment, atMs: nowMs(), cutAtMs: request.dateWhenSent() }
  if (!(await ledgerWriter.announce(dated))) return null
  crashPoint('payment-dated-recorded')
  return dated
}
