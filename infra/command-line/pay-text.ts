/** The text that `launch-data pay` prints: a line for each request and response, and the first rows of the body. */
import type { PaymentRequired, SettleResponse } from '@x402/core/types'

/** An offer of the service, or a payment by the buyer. `amount` is in millionths of a USDC. */
type Payment = Readonly<{ amount: string; network: string }>

const rowsMax = 3
const linesMax = 60
const charactersMax = 100
const unitsPerUsdc = 1_000_000

/** Describes the 402 to a request without a payment. Returns the price on this network. */
export function priceText({ accepts }: Pick<PaymentRequired, 'accepts'>, network: string): string {
  const offer = accepts.find((each) => each.network === network)
  return offer === undefined ? `no price on ${network}` : `${amountText(offer)}, to ${offer.payTo}`
}

/** Describes the 402 to a request with a payment. Returns why the service refused the payment. */
export const refusalText = ({ error }: Pick<PaymentRequired, 'error'>): string =>
  `the payment was refused: ${error ?? 'the service gives no reason'}`

export const paymentText = (payment: Payment, payer: string): string =>
  `with a signed payment of ${amountText(payment)}, from ${payer}`

/** Describes a receipt. Returns the transaction of the payment, or why there is none. */
export const receiptText = ({ success, transaction, errorReason }: SettleResponse): string =>
  success ? `paid by transaction ${transaction}` : `not paid: ${errorReason ?? 'the service gives no reason'}`

const amountText = ({ amount, network }: Payment): string => `${Number(amount) / unitsPerUsdc} USDC on ${network}`

/**
 * Formats a body. If it is JSON and not `isFull`, each list has its first rows only, with one line per row, and
 * long texts are cut.
 */
export function bodyText(body: string, isFull: boolean): string {
  const value = parsed(body)
  if (isFull) return value === undefined ? body : JSON.stringify(value, null, 2)
  const lines = (value === undefined ? body : linesOf(value).join('\n')).split('\n')
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

/** The lines of a value: one for each field, and one for each of the first rows of a list. */
function linesOf(value: unknown): readonly string[] {
  if (typeof value === 'string' && value.length > charactersMax)
    return [`${JSON.stringify(value.slice(0, charactersMax))}… ${value.length - charactersMax} more characters`]
  if (Array.isArray(value)) return rowsOf(value)
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)]
  return Object.entries(value).flatMap(([name, its]) => {
    const lines = linesOf(its)
    const isNested = typeof its === 'object' && its !== null
    return isNested ? [`${name}:`, ...lines.map((line) => `  ${line}`)] : [`${name}: ${lines.join('')}`]
  })
}

function rowsOf(list: readonly unknown[]): readonly string[] {
  const rows = list.slice(0, rowsMax).map((row) => JSON.stringify(row))
  if (list.length <= rowsMax) return rows.length === 0 ? ['none'] : rows
  return [...rows, `… ${list.length - rowsMax} more; --full prints them`]
}
