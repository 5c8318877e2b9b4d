import { OperationError } from '../../../infra/errors.ts'
import { hostOf } from '../../../infra/http-url.ts'
import { limited } from '../../../infra/limited.ts'
import { textOfResponse } from '../../../infra/text-of-response.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import { whyRefused } from './refuse-page.ts'

/** The maximum size of a page. A page of twenty posts has a few hundred kilobytes. */
const bytesMax = 4 * 1_048_576
const limitMs = 15_000

type FetchedPage =
  | Readonly<{ type: 'page'; html: string }>
  /** The platform redirects the request, because it does not show such a page. */
  | Readonly<{ type: 'none' }>
  /** The platform requests a pause. */
  | Readonly<{ type: 'wait'; waitMs: DurationMs }>

export type FetchPage = (name: string, before: number | null, signal: AbortSignal) => Promise<FetchedPage>

/**
 * Creates a function that fetches a preview page. The function fails with `provider_failed` if the platform
 * does not answer.
 */
export const createFetchPage =
  ({ baseUrl }: Readonly<{ baseUrl: string }>): FetchPage =>
  async (name, before, signal) => {
    const host = hostOf(baseUrl)
    const limit = limited([signal], limitMs)
    const address = `${baseUrl}/s/${encodeURIComponent(name)}${before === null ? '' : `?before=${before}`}`
    try {
      return await pageIn(await ask(address, limit.signal), host)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OperationError) throw error
      throw failed(`${host} did not answer${limit.isOver() ? ` in ${limitMs} ms` : ''}`)
    } finally {
      limit.release()
    }
  }

const ask = (address: string, signal: AbortSignal): Promise<Response> =>
  fetch(address, { headers: { accept: 'text/html' }, redirect: 'manual', signal })

async function pageIn(response: Response, host: string): Promise<FetchedPage> {
  if (response.ok) {
    const html = await textOfResponse(response, bytesMax)
    if (html === null) throw failed(`${host} answered with more than ${bytesMax} bytes`)
    const refusal = whyRefused(html)
    if (refusal !== null) throw failed(`${host} sent a page that the reader refuses: ${refusal}`)
    return { type: 'page', html }
  }
  await response.body?.cancel()
  if (response.status === 429) return { type: 'wait', waitMs: waitMsOf(response) }
  if (response.status >= 500) throw failed(`${host} answered with status ${response.status}`)
  return { type: 'none' }
}

const failed = (message: string): OperationError => new OperationError('provider_failed', message)

const waitMsLeast = 30_000
const waitMsMost = 600_000

function waitMsOf({ headers }: Response): DurationMs {
  const seconds = Number(headers.get('retry-after') ?? 0)
  return Math.min(waitMsMost, Math.max(waitMsLeast, Number.isFinite(seconds) ? seconds * 1000 : 0))
}
