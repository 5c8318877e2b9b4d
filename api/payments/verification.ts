/** Verifies a payment with the facilitator before the money moves. */
import type { x402ResourceServer } from '@x402/core/server'
import { type PaymentPayload, type PaymentRequirements, VerifyError } from '@x402/core/types'
import { cleanReason } from './settlement.ts'

export type Verification =
  | Readonly<{ kind: 'valid' }>
  | Readonly<{ kind: 'refused'; reason: string }>
  /** It was down or too slow, or its answer made no sense. */
  | Readonly<{ kind: 'unanswered' }>

export async function verifyPayment(
  server: x402ResourceServer,
  payload: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<Verification> {
  try {
    const { isValid, invalidReason } = await server.verifyPayment(payload, requirements)
    return isValid ? { kind: 'valid' } : refused(invalidReason)
  } catch (error) {
    // A refusal may come with an error status.
    const isRefusal = error instanceof VerifyError && error.statusCode < 500
    return isRefusal ? refused(error.invalidReason) : { kind: 'unanswered' }
  }
}

function refused(invalidReason: string | undefined): Verification {
  const reason = cleanReason(invalidReason ?? 'invalid_payment')
  return reason.startsWith('unexpected') ? { kind: 'unanswered' } : { kind: 'refused', reason }
}
