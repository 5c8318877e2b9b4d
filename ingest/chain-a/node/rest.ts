import { HttpRequestError } from 'viem'
import { createRest } from '../../node/rest.ts'
import { retryAfterMsOf } from '../../node/retry-after.ts'

export type HostRest = Readonly<{
  /** Throws while the URL is left alone. The next URL is asked then. */
  check(): void
  /** Takes note of a `Retry-After`. */
  heard(response: Response): void
}>

/** Answers for a URL that wants to be left alone, as if it said so again. */
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
