/** Makes payments of hundreds of new buyers from one signed payment. */
import { randomBytes } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { toHeader } from '../../support/payments/paid-service.ts'

/**
 * Makes a random signature with a valid form. The value `s` is low, because its first hex digit is 1. The
 * value `v` is 27.
 */
const anySignature = () => `0x${randomBytes(32).toString('hex')}1${randomBytes(31).toString('hex')}01b`

const hex = (length: number) => `0x${randomBytes(length).toString('hex')}`

/**
 * Returns payments with a different buyer each. The signatures are random, because the facilitator accepts
 * every payment.
 */
export function paymentsLike(signed: PaymentPayload, count: number): string[] {
  const authorization = signed.payload.authorization as object
  return Array.from({ length: count }, () => {
    const payload = { signature: anySignature(), authorization: { ...authorization, from: hex(20), nonce: hex(32) } }
    return toHeader({ ...signed, payload }).header
  })
}
