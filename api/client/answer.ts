/** The answer of a purchase, or the error that says why there is none. */
import type { SettleResponse } from '@x402/core/types'
import { OperationError } from '../../infra/errors.ts'
import type { Outcome } from './buyer.ts'
import { parsed, refusedIn, retryAfterMsOf } from './request.ts'
import { usdcOf } from './usdc.ts'

export type Bought<Answer> = Readonly<{
  answer: Answer
  /** The answer as it was sent. With the `generatedAt` of the answer as `asOf`, the service sends the same bytes. */
  text: string
  /** The name of the purchase. Null: the service charged nothing. */
  purchase: string | null
  priceUsdc: number
  receipt: SettleResponse | null
}>

export function boughtIn(outcome: Outcome): Bought<unknown> {
  const answer = answerIn(outcome)
  const { text, purchase } = outcome as Extract<Outcome, Readonly<{ kind: 'answered' }>>
  return {
    ...{ answer, text, purchase: purchase?.name ?? null },
    ...{ priceUsdc: usdcOf(purchase?.usdMicros ?? 0), receipt: purchase?.receipt ?? null },
  }
}

/**
 * Returns the answer as a value. Throws `request_refused` if the service refused the request, `payment_failed` if it
 * refused the payment, and `purchase_open` if it is not known whether the payment was charged.
 */
export function answerIn(outcome: Outcome): unknown {
  switch (outcome.kind) {
    case 'answered':
      return jsonIn(outcome)
    case 'refused':
      throw refusalIn(outcome)
    case 'open':
      throw new OperationError(
        'purchase_open',
        `the answer of the purchase ${outcome.name} did not arrive, and the payment may have been charged. Resume the purchase, which costs nothing more`,
        { context: { purchase: outcome.name }, cause: outcome.cause },
      )
    default:
      return outcome satisfies never
  }
}

function jsonIn({ text }: Readonly<{ text: string }>): unknown {
  const answer = parsed(text)
  if (answer !== undefined) return answer
  throw new OperationError('service_unreachable', 'the answer is not JSON. Check the address of the service')
}

function refusalIn(refused: Extract<Outcome, Readonly<{ kind: 'refused' }>>): OperationError {
  const { status, headers, name, isCharged } = refused
  const body = refusedIn(refused)
  const reason = body?.error ?? `the service answered with status ${status}, without a reason`
  const context = { status, code: body?.code ?? null, retryAfterMs: retryAfterMsOf(headers) }
  if (name === null || (status !== 402 && !isCharged)) return new OperationError('request_refused', reason, { context })
  const suffix = isCharged ? '. The payment may have been charged, so it counts as spent' : ''
  return new OperationError('payment_failed', `${reason}${suffix}`, { context: { ...context, purchase: name } })
}
