/**
 * The refusal of a request, as a value and as the body `{error, code, docs}`. The refusal of a cursor also has `oldest`. A refused request is never charged.
 * `error` describes for people what is wrong and what to do. `code` is for programs.
 */
import { NothingToSell } from '../payments/payment.ts'

export type RefusalCode =
  | 'bad_address'
  | 'bad_param'
  | 'bad_message'
  | 'forbidden'
  | 'bad_token'
  | 'cursor_unknown'
  | 'cursor_too_old'
  | 'not_tracked'
  | 'no_such_route'
  | 'method_not_allowed'
  | 'message_too_long'
  | 'rate_limited'
  | 'too_many_connections'
  | 'stream_disabled'
  | 'warming_up'
  | 'data_stale'
  | 'payments_not_live'
  | 'internal'

export type Refusal = Readonly<{
  status: 400 | 401 | 403 | 404 | 405 | 410 | 413 | 429 | 500 | 503
  code: RefusalCode
  error: string
  /** The value of the Retry-After header in seconds. */
  retryAfterSec?: number
  /** The oldest cursor from which the stream continues, if a cursor was refused. */
  oldest?: string
}>

export const statusOf: Readonly<Record<RefusalCode, Refusal['status']>> = {
  bad_address: 400,
  bad_param: 400,
  bad_token: 401,
  cursor_unknown: 400,
  cursor_too_old: 410,
  bad_message: 400,
  forbidden: 403,
  not_tracked: 404,
  no_such_route: 404,
  method_not_allowed: 405,
  message_too_long: 413,
  rate_limited: 429,
  too_many_connections: 429,
  stream_disabled: 503,
  warming_up: 503,
  data_stale: 503,
  payments_not_live: 503,
  internal: 500,
}

export const refuse = (code: RefusalCode, error: string, retryAfterSec?: number): Refusal => ({
  status: statusOf[code],
  code,
  error,
  ...(retryAfterSec === undefined ? {} : { retryAfterSec: Math.max(1, Math.ceil(retryAfterSec)) }),
})

/**
 * Thrown if a query finds that the answer is a refusal. The payment was then verified, but no money has
 * moved.
 */
export class RefusedSale extends NothingToSell {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.error)
    this.refusal = refusal
  }
}

export const isRefusal = (value: object): value is Refusal => 'code' in value && 'status' in value && 'error' in value

/** Returns the body of a refusal. `docs` is the URL of the page about its code. */
export const refusalBody = ({ error, code, oldest }: Refusal, publicBaseUrl: string) => ({
  error,
  code,
  docs: errorPageUrl(publicBaseUrl, code),
  ...(oldest === undefined ? {} : { oldest }),
})

/** Returns the URL of the page that explains a code. */
export const errorPageUrl = (publicBaseUrl: string, code: string): string =>
  `${publicBaseUrl.replace(/\/+$/, '')}/docs/errors/${code}`
