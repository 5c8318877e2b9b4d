/**
 * The rules by which catalogues of x402 list a paid URL. They come from the official schemas, from the x402
 * repository and from reports of sellers whose routes were not listed.
 */
import { isDeepStrictEqual } from 'node:util'
import { parsePaymentRequired } from '@x402/core/schemas'
import type { PaymentRequired } from '@x402/core/types'
import { discoveryRules } from './discovery-rules.ts'
import { paymentRules } from './payment-rules.ts'
import type { Probe } from './probe.ts'

export type Rule = Readonly<{
  name: string
  /** What to do if the rule fails. */
  toDo: string
  /** Returns what is wrong, or null. */
  faultOf(probe: Probe): string | null
}>

/** A rule about an offer. If the offer breaks the official schema, only the rule about the header fails. */
export type RequiredRule = Omit<Rule, 'faultOf'> &
  Readonly<{ faultOf(required: PaymentRequired, probe: Probe): string | null }>

const answerRules: readonly Rule[] = [
  {
    name: 'answers 402',
    toDo: 'let the URL answer 402 without a payment and without parameters. After a start, wait until the service has data',
    faultOf: ({ status, body }) => (status === 402 ? null : `the status is ${status}${reasonIn(body)}`),
  },
  {
    name: 'header PAYMENT-REQUIRED',
    toDo: 'send the header in the format of x402 version 2',
    faultOf: ({ header, required }) => {
      if (header === '') return 'the header is missing'
      return required === null ? 'the header cannot be decoded' : schemaFault(required)
    },
  },
  {
    name: 'length of the header',
    toDo: 'shorten the description or the example. Many proxies refuse longer headers',
    faultOf: ({ header }) => (header.length <= headerBytesMax ? null : `the header has ${header.length} bytes`),
  },
  {
    name: 'JSON body',
    toDo: 'send the offer as JSON in the body too',
    faultOf: ({ contentType, body }) => {
      if (!/^application\/json\b/.test(contentType)) return `the content type is ${contentType || 'missing'}`
      return body === undefined ? 'the body is not JSON' : schemaFault(body)
    },
  },
  {
    name: 'body equals header',
    toDo: 'send the same offer in the body and in the header',
    faultOf: ({ body, required }) => {
      if (required === null || typeof body !== 'object' || body === null) return null
      const differing = Object.keys(required).find(
        (name) => !isDeepStrictEqual((body as Record<string, unknown>)[name], required[name as keyof PaymentRequired]),
      )
      return differing === undefined ? null : `\`${differing}\` differs`
    },
  },
  {
    name: 'not cached',
    toDo: 'send Cache-Control: no-store with a 402, because an offer changes',
    faultOf: ({ cacheControl }) =>
      cacheControl.includes('no-store') ? null : `Cache-Control is ${cacheControl || 'missing'}`,
  },
  {
    name: 'pattern answers 402',
    toDo: 'let the literal pattern of the route answer 402. Catalogues list a route by its pattern, and request it',
    faultOf: ({ patternStatus }) =>
      patternStatus === null || patternStatus === 402 ? null : `the pattern answers ${patternStatus}`,
  },
]

function reasonIn(body: unknown): string {
  const { error } = (body ?? {}) as Readonly<{ error?: unknown }>
  return typeof error === 'string' ? ` (${error})` : ''
}

const headerBytesMax = 8_192

/** Returns how an offer breaks the official schema of version 2, or null. */
function schemaFault(offer: unknown): string | null {
  const { success, data, error } = parsePaymentRequired(offer)
  if (!success) return `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`
  return data.x402Version === 2 ? null : `x402Version is ${data.x402Version}`
}

const ofRequired = ({ faultOf, ...rule }: RequiredRule): Rule => ({
  ...rule,
  faultOf: (probe) => (schemaFault(probe.required) === null ? faultOf(probe.required as PaymentRequired, probe) : null),
})

export const rules: readonly Rule[] = [...answerRules, ...[...paymentRules, ...discoveryRules].map(ofRequired)]
