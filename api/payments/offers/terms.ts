/** What an authorization must say for a price at an instant. */
import { minuteMs } from '../../../schemas/units.ts'
import { type PaymentIdentity, type PaymentNetwork, validityMsMax } from '../payment-network.ts'

/** The facilitator's clock may be ahead of ours. */
const clockSlackMs = minuteMs

const expired = 'valid_before_expired'

type Payment = Readonly<{ identity: PaymentIdentity; network: Pick<PaymentNetwork, 'codes'> }>

/** Why the facilitator would refuse what the authorization says. */
export function termsRefusal(
  { identity: { usdMicros, validAfterMs, validBeforeMs }, network }: Payment,
  priceUsdMicros: number,
  nowMs: number,
): string | null {
  if (usdMicros < priceUsdMicros) return network.codes.amount
  if (validAfterMs > nowMs + clockSlackMs) return 'valid_after_in_future'
  if (validBeforeMs <= nowMs) return expired
  return validBeforeMs > nowMs + validityMsMax ? 'valid_before_too_far' : null
}

/**
 * Whether a payment of which the ledger holds nothing may have been charged before: what is old is forgotten. One that is still
 * valid is remembered, and one that says no time may be of any age.
 */
export const mayBeForgotten = ({ validBeforeMs, saysNoTime = false }: PaymentIdentity, nowMs: number): boolean =>
  saysNoTime || validBeforeMs <= nowMs
