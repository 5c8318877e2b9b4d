/** Decodes a client's payment and identifies its network. Makes no calls. */
import type { PaymentPayload } from '@x402/core/types'
import { z } from 'zod'
import type { PaidRequest } from './payment.ts'
import { readIdentifier } from './payment-identifier.ts'
import type { PayloadRefusal, PaymentIdentity, PaymentNetwork } from './payment-network.ts'

export type ReadPayment = Readonly<{
  payload: PaymentPayload
  network: PaymentNetwork
  identity: PaymentIdentity
  /** The identifier that the payer gave to the purchase, or null. */
  clientPaymentId: string | null
}>

/**
 * The maximum length of the payment header in bytes, checked before decoding. A payment with extensions of
 * two networks is below 5 KB. A payment of a contract wallet is below 8 KB.
 */
const paymentHeaderBytesMax = 12_288

/**
 * The parts of an x402 payment that are read here. Other fields are allowed. The own schema of x402 is not used,
 * because it takes 16 us per payment.
 */
const payloadSchema = z.object({
  x402Version: z.literal(2),
  resource: z.object({ url: z.string().min(1) }).nullish(),
  accepted: z.object({ scheme: z.string(), network: z.string(), asset: z.string() }),
  payload: z.object({}),
  extensions: z.object({}).nullish(),
})

type Sent = NonNullable<PaidRequest['payment']>

export type PaymentReader = (payment: Sent) => ReadPayment | PayloadRefusal

/**
 * Creates a reader that caches each decoded payment, because the same payment is read several times while it
 * is handled.
 */
export function createPaymentReader(networks: readonly PaymentNetwork[]): PaymentReader {
  const read = new WeakMap<Sent, ReadPayment | PayloadRefusal>()
  return (payment) => {
    const payload = read.get(payment) ?? readPayment(payment, networks)
    read.set(payment, payload)
    return payload
  }
}

export function readPayment(payment: Sent, networks: readonly PaymentNetwork[]): ReadPayment | PayloadRefusal {
  const payload = decodePayload(payment)
  if ('refusal' in payload) return payload
  const network = networks.find(({ network }) => network === payload.accepted.network)
  if (!network) return { refusal: 'unsupported_network' }
  if (payload.accepted.scheme !== 'exact') return { refusal: 'unsupported_scheme' }
  const identity = network.identify(payload)
  if ('refusal' in identity) return identity
  const named = readIdentifier(payload)
  return 'refusal' in named ? named : { payload, network, identity, clientPaymentId: named.id }
}

function decodePayload(payment: Sent): PaymentPayload | PayloadRefusal {
  try {
    if (lengthOf(payment) > paymentHeaderBytesMax) return { refusal: 'payment_header_too_large' }
    const raw = 'header' in payment ? JSON.parse(Buffer.from(payment.header, 'base64').toString()) : payment.payload
    return payloadSchema.safeParse(raw).success ? (raw as PaymentPayload) : { refusal: 'malformed_payment' }
  } catch {
    // The error is ignored, because its text would repeat the bytes that the client sent.
    return { refusal: 'malformed_payment' }
  }
}

/** Returns the length of the payment as an HTTP header, also if it arrived over MCP. */
const lengthOf = (payment: Sent): number =>
  'header' in payment ? payment.header.length : (JSON.stringify(payment.payload ?? null).length * 4) / 3
