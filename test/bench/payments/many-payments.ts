/** Payments of buyers that nobody has seen, made by the hundred from one that was signed. */
import { randomBytes } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { toHeader } from '../../support/payments/paid-service.ts'

/** The lower half of the curve's order begins below 8; v is 27. */
const anySignature = () => `0x${randomBytes(32).toString('hex')}1${randomBytes(31).toString('hex')}01b`

const hex = (length: number) => `0x${randomBytes(length).toString('hex')}`

/** Each of another buyer; who signed is the facilitator's to say, and it believes everybody. */
export function paymentsLike(signed: PaymentPayload, count: number): string[] {
  const authorization = signed.payload.authorization as object
  return Array.from({ length: count }, () => {
    const payload = { signature: anySignature(), authorization: { ...authorization, from: hex(20), nonce: hex(32) } }
    return toHeader({ ...signed, payload }).header
  })
}
