/** The shared components of the OpenAPI document: headers, the error body, the request to pay. */
import { z } from 'zod'
import { type ErrorCode, explained, statusOfError } from '../sale/error-codes.ts'
import type { JsonSchema, SharedSchemas } from './json-schema.ts'
import { signedAnswersPath } from './signed-answers.ts'

const header = (description: string, schema: JsonSchema, required = true): JsonSchema => ({
  description,
  required,
  schema,
})

const text: JsonSchema = { type: 'string' }
const seconds: JsonSchema = { type: 'integer', minimum: 0 }

export const headers: Readonly<Record<string, JsonSchema>> = {
  'PAYMENT-REQUIRED': header(
    'The request to pay as base64 JSON: price, asset, network and payTo of each way to pay.',
    text,
  ),
  'PAYMENT-RESPONSE': header('The receipt as base64 JSON: transaction, network and payer.', text),
  'PAYMENT-REFUSED': header('The receipt of a settlement that was refused, as base64 JSON.', text, false),
  'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1 }, false),
  'Answer-Cut': header('The cut of the answer, epoch ms. It equals `generatedAt`.', { type: 'integer', minimum: 0 }),
  'Content-Digest': header('SHA-256 of the body (RFC 9530), if the answer is signed.', text, false),
  'Signature-Input': header('What the signature covers (RFC 9421), if Accept-Signature asked for it.', text, false),
  Signature: header('The Ed25519 signature, if Accept-Signature asked for it.', text, false),
  Age: header('Seconds since the instant of the answer.', seconds),
  'X-Request-Id': header('Identifies the request in our log.', text),
  ETag: header('Version of the document; send it as If-None-Match.', text),
}

export const headerRef = (name: string, as = name): JsonSchema => ({ [as]: { $ref: `#/components/headers/${name}` } })

/** The headers of a paid answer. */
export const answerHeaders: JsonSchema = {
  ...headerRef('PAYMENT-RESPONSE'),
  ...headerRef('Age'),
  ...headerRef('Answer-Cut'),
  ...headerRef('X-Request-Id'),
  ...headerRef('Content-Digest'),
  ...headerRef('Signature-Input'),
  ...headerRef('Signature'),
}

/** The parameters that all paid routes have, in addition to their own. */
export const sharedParameters: Readonly<Record<string, JsonSchema>> = {
  'Accept-Signature': {
    ...{ name: 'Accept-Signature', in: 'header', required: false, example: 'sig1=()' },
    description: `Asks for a signed answer (RFC 9421). See [signed answers](${signedAnswersPath})`,
    schema: text,
  },
}

export const sharedParameterRefs: readonly JsonSchema[] = Object.keys(sharedParameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

export const securitySchemes = {
  x402: {
    type: 'apiKey',
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description:
      'A signed x402 payment (version 2, scheme `exact`) as base64 JSON. Ask without it first: the 402 says what to sign. No keys and no accounts. A payment buys one answer; repeating it gives the same answer again.',
  },
} as const

const offer = z.object({
  scheme: z.string(),
  network: z.string(),
  asset: z.string(),
  amount: z.string().meta({ description: 'In the smallest unit of the asset.' }),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.record(z.string(), z.unknown()).optional(),
})

const paymentRequired = z.object({
  x402Version: z.literal(2),
  error: z.string().meta({ description: 'What is wrong and what to do.' }),
  code: z.enum(['payment_required', 'payment_invalid', 'payment_already_used']),
  docs: z.url().meta({ description: 'The page about the code.' }),
  resource: z.object({
    url: z.string(),
    description: z.string(),
    mimeType: z.string(),
    serviceName: z.string().optional(),
    tags: z.array(z.string()).optional(),
  }),
  accepts: z.array(offer).min(1).meta({ description: 'The ways to pay: sign one of them.' }),
  extensions: z.record(z.string(), z.unknown()).optional(),
})

export type Responses = Readonly<{
  /** Returns references to the shared responses of these errors, by HTTP status. */
  of(codes: readonly ErrorCode[]): Readonly<Record<string, JsonSchema>>
  all(): Readonly<Record<string, JsonSchema>>
}>

export function createResponses(schemas: SharedSchemas): Responses {
  const required = schemas.share('PaymentRequired', schemas.schemaOf(paymentRequired))
  const shared = new Map<string, JsonSchema>()

  const responseOf = (status: number, codes: readonly ErrorCode[]): JsonSchema => ({
    description: codes.map((code) => `\`${code}\`: ${explained[code].meaning} Not charged.`).join(' '),
    headers: { ...headersOf(status), ...headerRef('X-Request-Id') },
    content: { 'application/json': { schema: status === 402 ? required : errorOf(codes) } },
  })

  return {
    of(codes) {
      const statuses = [...new Set(codes.map(statusOfError))].sort((left, right) => left - right)
      return Object.fromEntries(
        statuses.map((status) => {
          const own = codes.filter((code) => statusOfError(code) === status)
          const name = status === 402 ? 'payment_required' : own.join('-')
          shared.set(name, responseOf(status, own))
          return [String(status), { $ref: `#/components/responses/${name}` }]
        }),
      )
    },
    all: () => Object.fromEntries([...shared].sort(([left], [right]) => (left < right ? -1 : 1))),
  }
}

function headersOf(status: number): JsonSchema {
  if (status === 402) return { ...headerRef('PAYMENT-REQUIRED'), ...headerRef('PAYMENT-REFUSED', 'PAYMENT-RESPONSE') }
  return status === 429 || status === 503 ? headerRef('Retry-After') : {}
}

const errorOf = (codes: readonly ErrorCode[]): JsonSchema => ({
  type: 'object',
  required: ['error', 'code', 'docs'],
  properties: {
    error: { type: 'string', description: 'What is wrong and what to do.' },
    code: { type: 'string', enum: codes, description: 'For programs.' },
    docs: { type: 'string', format: 'uri', description: 'The page about the code.' },
    ...(codes.some((code) => code === 'cursor_unknown' || code === 'cursor_too_old')
      ? { oldest: { type: 'string', description: 'If a cursor was refused: the oldest cursor that is accepted.' } }
      : {}),
  },
})
