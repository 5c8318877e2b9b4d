/**
 * The extension payment-identifier of x402. A payer chooses an identifier for a purchase, so that a retry is
 * not charged twice. An identifier belongs to one purchase of one payer.
 */
import type { PaymentPayload } from '@x402/core/types'
import {
  declarePaymentIdentifierExtension,
  isValidPaymentId,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier'
import type { PayloadRefusal } from './payment-network.ts'

/**
 * The extension in the 402 response, which marks an identifier as optional. Each response needs a new object,
 * because a client in the same process writes its identifier into the object.
 */
export const offerIdentifier = (): Readonly<Record<string, unknown>> => ({
  [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(false),
})

/** `id` is null if the payment has no identifier. */
export function readIdentifier({ extensions }: PaymentPayload): Readonly<{ id: string | null }> | PayloadRefusal {
  const declared = extensions?.[PAYMENT_IDENTIFIER] as Readonly<{ info?: Readonly<{ id?: unknown }> | null }> | null
  const given = declared?.info?.id
  if (given === undefined) return { id: null }
  return typeof given === 'string' && isValidPaymentId(given)
    ? { id: given }
    : { refusal: 'invalid_payment_identifier' }
}

/** Returns the key of an identifier. The key contains the payer, because different payers may choose the same identifier. */
export const identifierKeyOf = (payer: string, id: string): string => `${payer.toLowerCase()}|${id}`
