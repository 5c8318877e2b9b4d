/** The results of tool calls in the form of MCP. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { PaidOutcome, PaymentRequiredOutcome, UnavailableOutcome } from '../payments/payment.ts'
import { errorPageUrl, type Refusal, refusalBody } from '../sale/refusals.ts'

export const paymentKey = 'x402/payment'
export const receiptKey = 'x402/payment-response'

export const answered = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** The result of a paid call: the same bytes as over HTTP, and the receipt in `_meta`. */
export const sold = ({ bytes, receiptHeader }: PaidOutcome): CallToolResult => ({
  ...answered(bytes.toString()),
  ...(receiptHeader === null ? {} : { _meta: { [receiptKey]: decode(receiptHeader) } }),
})

export const refused = (refusal: Refusal, publicBaseUrl: string): CallToolResult => ({
  ...failed(refusalBody(refusal, publicBaseUrl)),
  ...retryNote(refusal.retryAfterSec),
})

export const unavailable = (
  { code, message, retryAfterSec }: UnavailableOutcome,
  publicBaseUrl: string,
): CallToolResult => ({
  ...failed({ error: inMcpWords(message), code, docs: errorPageUrl(publicBaseUrl, code) }),
  ...retryNote(retryAfterSec),
})

/**
 * The result that requests a payment: the x402 object, with the fields that all errors have. If the
 * settlement of a payment was refused, `_meta` contains its receipt.
 */
export function paymentRequired(
  { body, code, receiptHeader }: PaymentRequiredOutcome,
  publicBaseUrl: string,
): CallToolResult {
  const result = failed({ ...body, error: inMcpWords(body.error), code, docs: errorPageUrl(publicBaseUrl, code) })
  return receiptHeader === null ? result : { ...result, _meta: { [receiptKey]: decode(receiptHeader) } }
}

const failed = (body: Readonly<Record<string, unknown>>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(body) }],
  structuredContent: { ...body },
  isError: true,
})

/** The number of seconds to wait, like the Retry-After header of HTTP. */
const retryNote = (retryAfterSec: number | undefined): Pick<CallToolResult, '_meta'> =>
  retryAfterSec === undefined ? {} : { _meta: { retryAfterSec } }

const decode = (header: string): unknown => JSON.parse(Buffer.from(header, 'base64').toString())

/**
 * Rewrites a text of the payment gate for MCP. The gate's texts name the HTTP header that contains the
 * payment, and MCP has no such header.
 */
const inMcpWords = (text: string): string =>
  text
    .replace(
      'Repeat it with a signed payment in the PAYMENT-SIGNATURE header',
      `Call the tool again with a signed payment in _meta["${paymentKey}"]`,
    )
    .replaceAll('PAYMENT-SIGNATURE', 'payment')
