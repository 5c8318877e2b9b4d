/** A JSON-RPC node, or several in order of preference. Every failure is one of two errors, and neither shows a key. */
import { createClient, fallback, HttpRequestError, http } from 'viem'
import { OperationError } from '../../../infra/errors.ts'
import { hostOf } from '../../../infra/http-url.ts'
import { fetchBatch } from './fetch-batch.ts'
import { createRedactor } from './redact.ts'

export type Node = Readonly<{
  /**
   * Tries every URL once, in order. Fails with `node_unreachable` (busy, slow or away: the same request may succeed
   * later) or `node_refused` (answered with an error). Rejects with the signal's reason as soon as it aborts.
   */
  request<Result>(call: RpcCall, signal: AbortSignal): Promise<Result>
  /** The hosts of the URLs, which may be shown. */
  hosts: string
}>

type RpcCall = Readonly<{ method: string; params: readonly unknown[] }>

export type NodeOptions = Readonly<{
  urls: readonly string[]
  /** For one request at one URL, including the body. Default 20 s. */
  timeoutMs?: number
  /** Calls made together are sent in JSON-RPC batches of at most this many. Default 50. */
  batchCountMax?: number
}>

/** A larger answer counts as a refusal, which halves the range: nodes may have no limit of their own. */
const answerBytesMax = 64 * 1_048_576

export function createNode({ urls, timeoutMs = 20_000, batchCountMax = 50 }: NodeOptions): Node {
  const redact = createRedactor(urls)
  const clientOf = (batch: false | Readonly<{ batchSize: number }>) =>
    createClient({
      transport: fallback(
        urls.map((url) =>
          http(url, {
            batch,
            retryCount: 0,
            timeout: timeoutMs,
            maxResponseBodySize: answerBytesMax,
            onFetchResponse: (response) => refuseBusy(response, url),
            ...(batch && { fetchFn: fetchBatch(answerBytesMax) }),
          }),
        ),
        { retryCount: 0 },
      ),
    })
  // Logs are requested alone: a large answer would delay the rest of its batch, and a refused one would fail it.
  const alone = clientOf(false)
  const batched = clientOf({ batchSize: batchCountMax })

  return {
    hosts: urls.map(hostOf).join(', '),
    async request<Result>(call: RpcCall, signal: AbortSignal): Promise<Result> {
      signal.throwIfAborted()
      const client = call.method === 'eth_getLogs' ? alone : batched
      const deadline = AbortSignal.timeout(timeoutMs * urls.length + 1_000)
      try {
        return await untilAborted(client.request(call as never) as Promise<Result>, AbortSignal.any([signal, deadline]))
      } catch (error) {
        signal.throwIfAborted()
        if (deadline.aborted) throw unreachable(`no answer to ${call.method} in time`, 'timeout')
        throw toOperationError(error, { method: call.method, redact })
      }
    },
  }
}

/** Ends the wait from outside: viem passes no signal through `fallback`, and its timeout covers only the headers. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const busyStatuses = new Set([408, 425, 429, 502, 503, 504])

/** A gateway in front of the node timed out. As with a timeout of our own, the range may be too large. */
const isTimeout = (status: number | undefined): boolean => status === 408 || status === 504

/** viem hides the status of an answer whose body is a JSON-RPC error, and 429 must not look like a refused range. */
function refuseBusy(response: Response, url: string): void {
  if (busyStatuses.has(response.status))
    throw new HttpRequestError({ url, status: response.status, headers: response.headers })
}

type FailureContext = Readonly<{ method: string; redact: (text: string) => string }>

/** Has no `cause`, because viem's errors hold the URL and the body of the request. */
function toOperationError(error: unknown, { method, redact }: FailureContext): OperationError {
  const { name, status, code, text } = factsOf(error)
  const detail = redact(text)
  if (name === 'TimeoutError' || isTimeout(status)) return unreachable(`no answer to ${method} in time`, 'timeout')
  if (status === 429 || isRateLimit(code, text)) return unreachable(`the node is limiting ${method}: ${detail}`, 'busy')
  if (name === 'HttpRequestError' && (status === undefined || busyStatuses.has(status)))
    return unreachable(`the node did not answer ${method}: ${status ? `status ${status}` : detail}`, 'network')
  return new OperationError('node_refused', `the node refused ${method}: ${detail}`, {
    context: { method, status, code },
  })
}

type UnreachableKind = 'busy' | 'timeout' | 'network'

const unreachable = (message: string, kind: UnreachableKind): OperationError =>
  new OperationError('node_unreachable', message, { context: { kind } })

function isRateLimit(code: unknown, text: string): boolean {
  return code === 429 || /rate.?limit|too many requests|request limit|compute units|throttl/i.test(text)
}

type ErrorFacts = { name: string; status?: number; code?: number; text: string }

/** The innermost viem error says what happened; the outer ones repeat the request. */
function factsOf(error: unknown): ErrorFacts {
  const facts: ErrorFacts = { name: 'Error', text: 'unknown error' }
  let inner: unknown = error
  while (inner instanceof Error) {
    const { name, status, code, details, shortMessage, message, cause } = inner as Error & Record<string, unknown>
    if (name === 'TimeoutError' || name === 'HttpRequestError') facts.name = name
    if (typeof status === 'number') facts.status = status
    if (typeof code === 'number') facts.code = code
    facts.text = String(details || shortMessage || message)
    inner = cause
  }
  return facts
}
