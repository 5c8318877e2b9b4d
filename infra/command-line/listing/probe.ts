/** Requests the URLs that a service lists, without a payment, as catalogues do. */
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'

/** Requests a path of the service. Must not follow redirects. */
export type Get = (path: string) => Promise<Response>

/** A paid route as the catalogue of the service (`/`) lists it. */
export type Listed = Readonly<{ route: string; url: string; price: number }>

/** What a request to a listed URL got. */
export type Probe = Listed &
  Readonly<{
    status: number
    contentType: string
    cacheControl: string
    /** The parsed body, or undefined if the body is not JSON. */
    body: unknown
    /** The header PAYMENT-REQUIRED, or the empty text. */
    header: string
    /** The decoded header, or null if it cannot be decoded. */
    required: PaymentRequired | null
    /** The status of a request to the pattern of the route. Null if the route has no parameter in its path. */
    patternStatus: number | null
  }>

export async function probe(listed: Listed, get: Get): Promise<Probe> {
  const { pathname, search } = new URL(listed.url)
  const answer = await get(`${pathname}${search}`)
  const header = answer.headers.get('payment-required') ?? ''
  return {
    ...listed,
    status: answer.status,
    contentType: answer.headers.get('content-type') ?? '',
    cacheControl: answer.headers.get('cache-control') ?? '',
    body: parsed(await answer.text()),
    header,
    required: decoded(header),
    patternStatus: listed.route.includes('{') ? await statusOf(patternOf(listed.route), get) : null,
  }
}

/** Returns the path of a route with `:name` for its parameters, as catalogues show it. */
const patternOf = (route: string): string => route.replace(/^GET /, '').replace(/\{(\w+)\}/g, ':$1')

async function statusOf(path: string, get: Get): Promise<number> {
  const answer = await get(path)
  await answer.arrayBuffer()
  return answer.status
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function decoded(header: string): PaymentRequired | null {
  try {
    return decodePaymentRequiredHeader(header)
  } catch {
    return null
  }
}
