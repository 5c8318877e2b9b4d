/** What an authorization must say for a price at an instant. */
import { type PaymentIdentity, validityMsMax } from './payment-network.ts'

/** The facilitator's clock may be ahead of ours. */
const clockSlackMs = 60_000

export const expired = 'valid_before_expired'

/** Why the facilitator would refuse what the authorization says. */
export function termsRefusal(
  { usdMicros, validAfterMs, validBeforeMs }: PaymentIdentity,
  priceUsdMicros: number,
  nowMs: number,
): string | null {
  if (usdMicros < priceUsdMicros) return 'invalid_exact_evm_authorization_value'
  if (validAfterMs > nowMs + clockSlackMs) return 'valid_after_in_future'
  if (validBeforeMs <= nowMs) return expired
  return validBeforeMs > nowMs + validityMsMax ? 'valid_before_too_far' : null
}
