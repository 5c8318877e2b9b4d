import { HttpRequestError } from 'viem'
import { createRest } from '../../node/rest.ts'
import { retryAfterMsOf } from '../../node/retry-after.ts'

export type HostRest = Readonly<{
  /** Throws while the URL must be left alone, so that the next URL is asked. */
  check(): void
  /** Reads the `Retry-After` header of a response. */
  heard(response: Response): void
}>

/** While a URL must be left alone, each check fails as if the URL had answered 429 again. */
export function createHostRest(url: string, nowMs: () => number): HostRest {
  const rest = createRest(nowMs)
  return {
    check() {
      const leftMs = rest.leftMs()
      if (leftMs <= 0) return
      const headers = new Headers({ 'retry-after': String(Math.ceil(leftMs / 1000)) })
      throw new HttpRequestError({ url, status: 429, headers, details: 'it asked to be left alone for a while' })
    },
    heard({ ok, headers }) {
      if (!ok) rest.asked(retryAfterMsOf(headers, nowMs()))
    },
  }
}
