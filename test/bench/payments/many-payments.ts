/** Makes payments of hundreds of unknown buyers from one signed payment. */
import { randomBytes } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { toHeader } from '../../support/payments/paid-service.ts'

/** A low s has a first hex digit below 8. v is 27. */
const anySignature = () => `0x${randomBytes(32).toString('hex')}1${randomBytes(31).toString('hex')}01b`

const hex = (length: number) => `0x${randomBytes(length).toString('hex')}`

/** Each payment has another buyer. The signatures are random, because the facilitator accepts everything. */
export function paymentsLike(signed: PaymentPayload, count: number): string[] {
  const authorization = signed.payload.authorization as object
  return Array.from({ length: count }, () => {
    const payload = { signature: anySignature(), authorization: { ...authorization, from: hex(20), nonce: hex(32) } }
    return toHeader({ ...signed, payload }).header
  })
}
