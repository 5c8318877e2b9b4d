/** Checks what a service asks for before anything is signed. */
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import { OperationError } from '../../infra/errors.ts'
import type { Payer } from './wallet.ts'

export type Offer = Readonly<{ required: PaymentRequired; requirements: PaymentRequirements; usdMicros: number }>

/**
 * The longest validity of a payment in seconds. A payment counts as spent while it can still settle, so a service
 * must not get one that is valid for years.
 */
const validSecMax = 600

/** The receiver that the client has paid before. Null: it has paid nobody yet. */
type Known = Readonly<{ payer: Payer; payTo: string | null }>

/** Returns the offer that the wallet can pay. Throws `offer_refused` if there is none, or if something is wrong with it. */
export function offerIn(header: string | null, { payer, payTo }: Known): Offer {
  const required = decode(header)
  const { network, isMoney } = payer
  const requirements = required.accepts.find((each) => each.network === network && each.scheme === 'exact')
  if (requirements === undefined)
    throw refused(`the service takes no payment of the scheme "exact" on ${network}. Use a wallet of another network`)
  const { asset, amount, maxTimeoutSeconds, extra = {} } = requirements
  if (!isMoney(asset))
    throw refused(`the service asks for the token ${asset}, which is not USDC on ${network}. Check the service`)
  if (!/^[1-9]\d{0,14}$/.test(amount)) throw refused(`the service asks for the amount "${amount}", which is no price`)
  if (!(maxTimeoutSeconds > 0 && maxTimeoutSeconds <= validSecMax))
    throw refused(
      `the service asks for a payment that is valid for ${maxTimeoutSeconds} s. The client signs for at most ${validSecMax} s`,
    )
  if (![undefined, 'eip3009'].includes(extra.assetTransferMethod as undefined))
    throw refused('the service asks for a permission instead of a transfer. The client signs transfers only')
  if (payTo !== null && payTo !== requirements.payTo)
    throw refused(
      `the service asks to pay ${requirements.payTo}, and this client has paid ${payTo} before. If the service has announced this change, pass the new address as payTo`,
    )
  return { required, requirements, usdMicros: Number(amount) }
}

function decode(header: string | null): PaymentRequired {
  if (header === null) throw refused('the 402 has no PAYMENT-REQUIRED header. Check that a proxy does not remove it')
  try {
    const required = decodePaymentRequiredHeader(header)
    if (required.x402Version === 2 && Array.isArray(required.accepts)) return required
  } catch {
    // The text of the error would repeat bytes of the service.
  }
  throw refused('the PAYMENT-REQUIRED header of the 402 is not one of x402 version 2. Check the address of the service')
}

const refused = (message: string): OperationError =>
  new OperationError('offer_refused', `${message}. Nothing was signed`)
