import type { PaymentChanged } from '../../schemas/payments.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import type { AnswerStore } from './ledger/answer-store.ts'
import type { BuiltBody, PaidRequest } from './payment.ts'

export type Body = (Readonly<{ kind: 'built' }> & BuiltBody) | Readonly<{ kind: 'handlerFailed'; error: unknown }>

type Wanted = Readonly<{
  paymentId: string
  known: PaymentChanged | undefined
  isEveryClientGone: () => boolean
}>

/**
 * Returns the body for a payment. If `known` has the cut of an answer, returns the same bytes as then:
 * the stored bytes, or bytes built again from the same data. Otherwise builds a new body.
 */
export async function bodyOf(
  request: PaidRequest,
  answers: AnswerStore,
  { paymentId, known, isEveryClientGone }: Wanted,
): Promise<Body> {
  try {
    const bought = await boughtBefore(request, answers, known)
    return { kind: 'built', ...(bought ?? (await request.buildBody(paymentId, isEveryClientGone))) }
  } catch (error) {
    return { kind: 'handlerFailed', error }
  }
}

type Patience = Readonly<{
  nowMs: () => EpochMs
  sleep: (durationMs: DurationMs) => Promise<void>
  isEveryClientGone: () => boolean
}>

const rebuildMs = 10_000
const pauseMsMin = 100
const pauseMsMax = 1_600

/** Returns the body of a settled payment. A failure is retried for up to 10 s while a client waits. */
export async function bodyOfSettled(
  request: PaidRequest,
  answers: AnswerStore,
  { payment, nowMs, sleep, isEveryClientGone }: Patience & Readonly<{ payment: PaymentChanged }>,
): Promise<Body> {
  const deadlineAtMs = nowMs() + rebuildMs
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    const body = await bodyOf(request, answers, { paymentId: payment.paymentId, known: payment, isEveryClientGone })
    if (body.kind === 'built' || nowMs() + pauseMs > deadlineAtMs || isEveryClientGone()) return body
    await sleep(pauseMs)
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
  const bytes = await request.rebuildBody?.(cutAtMs, paymentId)
  if (!bytes) return null
  answers.keep(paymentId, bytes)
  return { bytes, cutAtMs }
}
