/** Verifies a payment with the facilitator before the money moves. */
import type { x402ResourceServer } from '@x402/core/server'
import { type PaymentPayload, type PaymentRequirements, VerifyError } from '@x402/core/types'
import { cleanReason } from './settlement.ts'

export type Verification =
  | Readonly<{ kind: 'valid' }>
  | Readonly<{ kind: 'refused'; reason: string }>
  /**
   * The facilitator answered with an error of its own. The payload may have caused the error, so the error does not
   * show whether the facilitator works.
   */
  | Readonly<{ kind: 'failed' }>
  /** The facilitator was down or too slow, or its answer could not be interpreted. */
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
    if (!(error instanceof VerifyError)) return { kind: isFailure(error) ? 'failed' : 'unanswered' }
    // A facilitator may send a refusal with an error status.
    return error.statusCode < 500 ? refused(error.invalidReason) : { kind: 'failed' }
  }
}

/**
 * Whether the error is an answer of the facilitator itself. The error of x402's client contains the status only in its
 * message. Gateways answer 502 to 504 when the facilitator is down, so these statuses do not count.
 */
function isFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const status = /^Facilitator verify failed \((\d{3})\)/.exec(error.message)?.[1]
  return status !== undefined && !['502', '503', '504'].includes(status)
}

function refused(invalidReason: string | undefined): Verification {
  const reason = cleanReason(invalidReason ?? 'invalid_payment')
  return reason.startsWith('unexpected') ? { kind: 'failed' } : { kind: 'refused', reason }
}
