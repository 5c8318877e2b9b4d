import { HttpRequestError } from 'viem'
import { retryAfterMsOf } from './failures.ts'

export type Rest = Readonly<{
  /** Throws while the URL is left alone. The next URL is asked then. */
  check(): void
  /** Takes note of a `Retry-After`. */
  heard(response: Response): void
}>

/** A URL that sent `Retry-After` is not asked until then, not even by other requests. */
export function createRest(url: string, nowMs: () => number): Rest {
  let untilMs = 0
  return {
    check() {
      const leftMs = untilMs - nowMs()
      if (leftMs <= 0) return
      const headers = new Headers({ 'retry-after': String(Math.ceil(leftMs / 1000)) })
      throw new HttpRequestError({ url, status: 429, headers, details: 'it asked to be left alone for a while' })
    },
    heard({ ok, headers }) {
      if (!ok) untilMs = Math.max(untilMs, nowMs() + retryAfterMsOf(headers, nowMs()))
    },
  }
}
