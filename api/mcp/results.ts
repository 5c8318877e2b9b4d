/** What a call of a tool can come to, in the words of MCP. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { PaidOutcome, PaymentRequiredOutcome, UnavailableOutcome } from '../payments/payment.ts'
import { errorPageUrl, type Refusal, refusalBody } from '../sale/refusals.ts'

export const paymentKey = 'x402/payment'
export const receiptKey = 'x402/payment-response'

export const answered = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** The bytes as they are sold over HTTP, and the receipt. */
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

/** The x402 object that is to be paid, with what all errors have; of a refused settlement the receipt too. */
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

/** Seconds, as the Retry-After header of HTTP. */
const retryNote = (retryAfterSec: number | undefined): Pick<CallToolResult, '_meta'> =>
  retryAfterSec === undefined ? {} : { _meta: { retryAfterSec } }

const decode = (header: string): unknown => JSON.parse(Buffer.from(header, 'base64').toString())

/** The gate speaks of the header in which a payment comes over HTTP. */
const inMcpWords = (text: string): string =>
  text
    .replace(
      'repeat it with a PAYMENT-SIGNATURE header',
      `call again with the signed payment in _meta["${paymentKey}"]`,
    )
    .replaceAll('PAYMENT-SIGNATURE', 'payment')
