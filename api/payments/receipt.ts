/** The PAYMENT-RESPONSE header of a settled payment. */
import type { SettleResponse } from '@x402/core/types'
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { BuiltBody, PaidOutcome } from './payment.ts'

export function toPaid(payment: PaymentChanged, { bytes, cutAtMs }: BuiltBody): PaidOutcome {
  return {
    kind: 'paid',
    paymentId: payment.paymentId,
    bytes,
    cutAtMs,
    receiptHeader: encodeReceipt({
      success: true,
      transaction: payment.transaction ?? '',
      network: payment.network as `${string}:${string}`,
      payer: payment.payer,
    }),
  }
}

/**
 * Gives the same result as x402's own encoder. That encoder is not used, because it allocates 16 KB for 200
 * bytes.
 */
const encodeReceipt = (receipt: SettleResponse): string => Buffer.from(JSON.stringify(receipt)).toString('base64')
