/** Checks the terms of an authorization: amount and validity. */
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { type PaymentIdentity, type PaymentNetwork, validityMsMax } from '../payment-network.ts'

/** The maximum by which the facilitator's clock may be ahead of this machine's clock, in ms. */
const clockSlackMs = minuteMs

const expired = 'valid_before_expired'

type Payment = Readonly<{ identity: PaymentIdentity; network: Pick<PaymentNetwork, 'codes'> }>

/** Returns the reason for which the facilitator would refuse the authorization, or null. */
export function termsRefusal(
  { identity: { usdMicros, validAfterMs, validBeforeMs }, network }: Payment,
  priceUsdMicros: number,
  nowMs: EpochMs,
): string | null {
  if (usdMicros < priceUsdMicros) return network.codes.amount
  if (validAfterMs > nowMs + clockSlackMs) return 'valid_after_in_future'
  if (validBeforeMs <= nowMs) return expired
  return validBeforeMs > nowMs + validityMsMax ? 'valid_before_too_far' : null
}

/**
 * Whether a payment that is missing from the ledger may have been charged before and then forgotten. A payment that is
 * still valid is never forgotten. A payment without an end of validity may be old, so it may have been forgotten.
 */
export const mayBeForgotten = ({ validBeforeMs, saysNoTime = false }: PaymentIdentity, nowMs: EpochMs): boolean =>
  saysNoTime || validBeforeMs <= nowMs
