/** Sends one request to the service, and decides what its response says about a payment. */
import { OperationError } from '../../infra/errors.ts'
import { limited } from '../../infra/limited.ts'
import { textOfResponse } from '../../infra/text-of-response.ts'
import type { DurationMs } from '../../schemas/units.ts'

export type Service = Readonly<{
  baseUrl: URL
  fetch: typeof fetch
  /** The time for one request with its whole body, in ms. */
  timeoutMs: DurationMs
  /** Aborts every request. */
  signal: AbortSignal
}>

export type Reply = Readonly<{ status: number; headers: Headers; text: string }>

/** The maximum length of an answer in bytes. The longest answers have some megabytes. */
const replyBytesMax = 32 * 1_048_576

/** Returns the whole response. Throws if there is none, or if it is cut. */
export async function ask(service: Service, path: string, payment?: string): Promise<Reply> {
  const { signal, release } = limited([service.signal], service.timeoutMs)
  const headers = { accept: 'application/json', ...(payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }) }
  try {
    // A redirect could send the payment to another server.
    const response = await service.fetch(urlOf(service, path), { headers, signal, redirect: 'error' })
    const text = await textOfResponse(response, replyBytesMax)
    if (text !== null) return { status: response.status, headers: response.headers, text }
    throw new OperationError(
      'service_unreachable',
      `the answer is longer than ${replyBytesMax} bytes, which is the limit`,
    )
  } finally {
    release()
  }
}

/** Returns the URL of a path. Throws if the path leads to another server. */
export function urlOf({ baseUrl }: Pick<Service, 'baseUrl'>, path: string): URL {
  const url = new URL(path, baseUrl)
  if (url.origin === baseUrl.origin) return url
  throw new OperationError('config_invalid', `"${path}" is not a path of the service. Begin it with one slash`)
}

/** The body of a refusal: `{error, code, docs}`. Null: the response is none of the service, but for example of a proxy. */
export type Refused = Readonly<Record<string, unknown> & { error: string; code: string }>

export function refusedIn({ text }: Pick<Reply, 'text'>): Refused | null {
  const body = parsed(text)
  if (typeof body !== 'object' || body === null) return null
  const { error, code } = body as Partial<Refused>
  return typeof error === 'string' && typeof code === 'string' ? (body as Refused) : null
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Whether a payment was charged. `notNow`: this request did not charge it, but an earlier request with the same
 * payment may have.
 */
type Charged = 'never' | 'notNow' | 'unknown'

/**
 * What a response to a signed payment says. `sold`: it is the answer. `refused`: the payment gets no answer.
 * `repeat`: the same payment may get the answer later.
 */
export type Verdict = Readonly<{ kind: 'sold' }> | Readonly<{ kind: 'refused' | 'repeat'; charged: Charged }>

export function verdictOf(reply: Reply): Verdict {
  const { status, text } = reply
  // A proxy that cuts an answer may end it as if it were whole.
  if (status === 200) return parsed(text) === undefined ? inDoubt : { kind: 'sold' }
  const refused = refusedIn(reply)
  if (refused === null) return inDoubt
  const charged = chargedIn(refused.error)
  if (status >= 500 || status === 429 || refused.code === 'payment_required') return { kind: 'repeat', charged }
  if (status !== 402) return { kind: 'refused', charged: 'notNow' }
  return /first repeat the request/i.test(refused.error) ? inDoubt : { kind: 'refused', charged }
}

/** The service says that nothing was charged only if this is certain. */
function chargedIn(error: string): Charged {
  if (/\bnothing was charged\b/i.test(error)) return 'never'
  return /\bnot charged\b/i.test(error) ? 'notNow' : 'unknown'
}

const inDoubt: Verdict = { kind: 'repeat', charged: 'unknown' }

/** Returns the milliseconds of a `Retry-After` header in seconds, or null if there is none. */
export function retryAfterMsOf(headers: Headers): DurationMs | null {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : null
}
