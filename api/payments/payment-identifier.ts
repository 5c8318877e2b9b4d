/**
 * x402's extension payment-identifier: a name that a payer gives to a purchase, so that trying again buys nothing twice. It
 * stands for one purchase of one payer.
 */
import type { PaymentPayload } from '@x402/core/types'
import {
  declarePaymentIdentifierExtension,
  isValidPaymentId,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier'
import { z } from 'zod'
import type { PayloadRefusal } from './payment-network.ts'

/** What the 402 says of it: nobody needs one. Made anew for each 402: a client in this process writes its name into it. */
export const offerIdentifier = (): Readonly<Record<string, unknown>> => ({
  [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(false),
})

const givenSchema = z.object({ info: z.object({ id: z.unknown() }) })

/** Null: none was given. */
export function readIdentifier({ extensions }: PaymentPayload): Readonly<{ id: string | null }> | PayloadRefusal {
  const given = givenSchema.safeParse(extensions?.[PAYMENT_IDENTIFIER]).data?.info.id
  if (given === undefined) return { id: null }
  return typeof given === 'string' && isValidPaymentId(given)
    ? { id: given }
    : { refusal: 'invalid_payment_identifier' }
}

/** Payers choose their names freely, so the same name of another payer is another one. */
export const identifierKeyOf = (payer: string, id: string): string => `${payer.toLowerCase()}|${id}`
