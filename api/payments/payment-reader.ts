/** From what a client sent to a payment: decoded, of a network we take, signed by its payer. Asks nobody outside. */
import { decodePaymentSignatureHeader } from '@x402/core/http'
import { PaymentPayloadV2Schema } from '@x402/core/schemas'
import type { PaymentPayload } from '@x402/core/types'
import type { PaidRequest } from './payment.ts'
import type { PaymentIdentity, PaymentNetwork, PaymentRefusal } from './payment-network.ts'

export type ReadPayment = Readonly<{
  payload: PaymentPayload
  network: PaymentNetwork
  identity: PaymentIdentity
}>

/** Checked before anything is decoded. A payment on two networks with extensions stays under 5 KB. */
const paymentHeaderBytesMax = 12_288

export async function readPayment(
  payment: NonNullable<PaidRequest['payment']>,
  networks: readonly PaymentNetwork[],
): Promise<ReadPayment | PaymentRefusal> {
  const payload = decodePayload(payment)
  if ('refusal' in payload) return payload
  const network = networks.find(({ network }) => network === payload.accepted.network)
  if (!network) return { refusal: 'unsupported_network' }
  if (payload.accepted.scheme !== 'exact') return { refusal: 'unsupported_scheme' }
  const identity = await network.identify(payload)
  return 'refusal' in identity ? identity : { payload, network, identity }
}

function decodePayload(payment: NonNullable<PaidRequest['payment']>): PaymentPayload | PaymentRefusal {
  if ('header' in payment && payment.header.length > paymentHeaderBytesMax)
    return { refusal: 'payment_header_too_large' }
  try {
    const raw = 'header' in payment ? decodePaymentSignatureHeader(payment.header) : payment.payload
    const parsed = PaymentPayloadV2Schema.safeParse(raw)
    return parsed.success ? (parsed.data as PaymentPayload) : { refusal: 'malformed_payment' }
  } catch {
    // The text of the failure would repeat what the client sent.
    return { refusal: 'malformed_payment' }
  }
}
