/** The PAYMENT-RESPONSE of a settled payment. */
import { encodePaymentResponseHeader } from '@x402/core/http'
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { BuiltBody, PaidOutcome } from './payment.ts'

export function toPaid(payment: PaymentChanged, { bytes, cutAtMs }: BuiltBody): PaidOutcome {
  return {
    kind: 'paid',
    paymentId: payment.paymentId,
    bytes,
    cutAtMs,
    receiptHeader: encodePaymentResponseHeader({
      success: true,
      transaction: payment.transaction ?? '',
      network: payment.network as `${string}:${string}`,
      payer: payment.payer,
    }),
  }
}
