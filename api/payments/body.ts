/** The bytes that a payment buys. */
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { AnswerStore } from './answer-store.ts'
import type { BuiltBody, PaidRequest } from './payment.ts'

export type Body = (Readonly<{ kind: 'built' }> & BuiltBody) | Readonly<{ kind: 'handlerFailed'; error: unknown }>

/** The bytes kept for this payment; else the same bytes, made again at their cut; for a new payment new ones. */
export async function bodyOf(
  request: PaidRequest,
  answers: AnswerStore,
  known: PaymentChanged | undefined,
): Promise<Body> {
  try {
    return { kind: 'built', ...((await boughtBefore(request, answers, known)) ?? (await request.buildBody())) }
  } catch (error) {
    return { kind: 'handlerFailed', error }
  }
}

async function boughtBefore(
  request: PaidRequest,
  answers: AnswerStore,
  known: PaymentChanged | undefined,
): Promise<BuiltBody | null> {
  if (!known || known.cutAtMs === null) return null
  const { paymentId, cutAtMs } = known
  const kept = answers.get(paymentId)
  if (kept) return { bytes: kept, cutAtMs }
  const bytes = await request.rebuildBody?.(cutAtMs)
  if (!bytes) return null
  answers.keep(paymentId, bytes)
  return { bytes, cutAtMs }
}
