/** The text of `launch-data pay`: one line for each request and answer, and the first rows of the body. */
import type { PaymentRequired, SettleResponse } from '@x402/core/types'

/** An offer of the service, or a payment by the buyer. `amount` is in millionths of a USDC. */
type Payment = Readonly<{ amount: string; network: string }>

const rowsMax = 3
const linesMax = 60
const unitsPerUsdc = 1_000_000

/**
 * Returns the line about a 402: the price on this network, or the reason why the service refused the last
 * payment.
 */
export function priceText({ accepts, error }: Pick<PaymentRequired, 'accepts' | 'error'>, network: string): string {
  const offer = accepts.find((each) => each.network === network)
  if (offer === undefined) return `no price on ${network}`
  return `${amountText(offer)}, to ${offer.payTo}${error === undefined ? '' : ` (${error})`}`
}

export const paymentText = (payment: Payment, payer: string): string =>
  `with a signed payment of ${amountText(payment)}, from ${payer}`

/** Returns the line about a receipt: the transaction of the payment, or why there is none. */
export const receiptText = ({ success, transaction, errorReason }: SettleResponse): string =>
  success ? `paid by transaction ${transaction}` : `not paid: ${errorReason ?? 'the service gives no reason'}`

const amountText = ({ amount, network }: Payment): string => `${Number(amount) / unitsPerUsdc} USDC on ${network}`

/** Formats a body. If it is JSON and not `isFull`, each list has only its first rows, and the text few lines. */
export function bodyText(body: string, isFull: boolean): string {
  const value = parsed(body)
  if (isFull) return value === undefined ? body : JSON.stringify(value, null, 2)
  const lines = (value === undefined ? body : JSON.stringify(withFirstRows(value), null, 2)).split('\n')
  if (lines.length <= linesMax) return lines.join('\n')
  return [...lines.slice(0, linesMax), `… ${lines.length - linesMax} more lines; --full prints them`].join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withFirstRows(value: unknown): unknown {
  if (Array.isArray(value)) {
    const rows = value.slice(0, rowsMax).map(withFirstRows)
    return value.length <= rowsMax ? rows : [...rows, `… ${value.length - rowsMax} more; --full prints them`]
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, its]) => [name, withFirstRows(its)]))
}
