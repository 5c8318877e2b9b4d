/**
 * A JSON-RPC node, or several nodes in order of preference. Requests go over HTTP, or over a WebSocket if no URL is for
 * HTTP. No error contains a key.
 */
import { createClient, custom, fallback, HttpRequestError, http, type Transport } from 'viem'
import { hostOf } from '../../../infra/http-url.ts'
import { limited } from '../../../infra/limited.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../../delay.ts'
import { askAgain, triesMaxDefault } from '../../node/ask-again.ts'
import { createPauses } from '../../node/pauses.ts'
import { createRequestedPause } from '../../node/requested-pause.ts'
import { retryAfterMsOf } from '../../node/retry-after.ts'
import { unreachable } from '../../node/unreachable.ts'
import { createRedactor } from '../../redact.ts'
import { untilAborted } from '../../until-aborted.ts'
import { createClockCheck } from './clock-check.ts'
import { busyStatuses, mayPass, toOperationError } from './failures.ts'
import { fetchBatch } from './fetch-batch.ts'
import { answerBytesMax, type RpcCall } from './rpc-call.ts'
import { createHeads, type Heads } from './socket/heads.ts'
import { createNodeSocket, type NodeSocket, type SocketOptions } from './socket/node-socket.ts'

export type Node = Readonly<{
  /**
   * Sends a request. Each try asks the URLs in order until one answers. If a request of a batch fails, only
   * that request is sent again, after a wait that grows with each try. Rejects with the signal's reason as
   * soon as the signal aborts. Otherwise fails with one of these errors:
   * - `node_unreachable`: the node was busy, slow or not reachable in all tries. The same request may succeed
   *   later.
   * - `node_refused`: the node answered with an error.
   * - `node_inconsistent`: no URL gave a usable answer, and the last URL gave a block time in the future.
   */
  request<Result>(call: RpcCall, signal: AbortSignal): Promise<Result>
  /** The hosts of the URLs, for messages. The URLs are not shown, because they may contain a key. */
  hosts: string
}>

export type NodeWithHeads = Node &
  Readonly<{
    /** The announcements of new blocks. Null if no URL is a WebSocket. */
    heads: Heads | null
  }>

export type NodeOptions = Readonly<{
  urls: readonly string[]
  /** The time limit of one request to one URL, including the body of the answer. Default 20 s. */
  timeoutMs?: DurationMs
  /** The maximum number of calls in one JSON-RPC batch. Calls at the same time are sent in one batch. Default 50. */
  batchCountMax?: number
  /** The maximum number of tries of a request. Each try asks all URLs. Default 9. */
  triesMax?: number
  /** The logger that gets each failed try at level debug. */
  logger?: Logger
  delay?: Delay
  nowMs?: () => EpochMs
  /** The options of each WebSocket. */
  socket?: Omit<SocketOptions, 'url'>
}>

export const isSocketUrl = (url: string): boolean => /^wss?:/i.test(url)

export function createNode(options: NodeOptions): NodeWithHeads {
  const { urls, timeoutMs = 20_000, triesMax = triesMaxDefault, logger, delay = realDelay } = options
  const redact = createRedactor(urls)
  const pause = createPauses(delay)
  const sockets = urls.filter(isSocketUrl).map((url) => createNodeSocket({ ...options.socket, url }))
  const clientFor = createClients({ ...options, timeoutMs, sockets })

  const ask = async <Result>(call: RpcCall, signal: AbortSignal): Promise<Result> => {
    const limit = limited([signal], timeoutMs * urls.length + 1_000)
    try {
      const work = clientFor(call.method).request(call as never) as Promise<Result>
      return await untilAborted(work, limit.signal)
    } catch (error) {
      signal.throwIfAborted()
      if (limit.isOver()) throw unreachable(`no answer to ${call.method} in time`, 'timeout')
      throw toOperationError(error, { method: call.method, redact })
    } finally {
      limit.release()
    }
  }

  return {
    hosts: [...new Set(urls.map(hostOf))].join(', '),
    heads: sockets.length === 0 ? null : createHeads({ sockets, logger, delay }),
    async request<Result>(call: RpcCall, signal: AbortSignal): Promise<Result> {
      signal.throwIfAborted()
      return await askAgain(() => ask<Result>(call, signal), {
        ...{ signal, triesMax, pause, mayPass: mayPass(call.method) },
        onFailure: ({ message }, tryCount) =>
          logger?.debug({ tryCount, reason: message }, 'a request to the node failed'),
      })
    },
  }
}

type ClientOptions = Pick<NodeOptions, 'urls' | 'batchCountMax' | 'nowMs'> &
  Readonly<{ timeoutMs: DurationMs; sockets: readonly NodeSocket[] }>

type Batch = false | Readonly<{ batchSize: number }>

/**
 * Creates one viem client for single requests and one for batches. The caller must enforce the abort and the
 * time limit, because viem passes no signal through `fallback`. viem's own timeout covers only the headers of
 * the response.
 */
function createClients({ urls, timeoutMs, batchCountMax = 50, nowMs = Date.now, sockets }: ClientOptions) {
  const hosts = urls.filter((url) => !isSocketUrl(url)).map((url) => ({ url, pause: createHostPause(url, nowMs) }))
  const clock = createClockCheck(hosts.length || sockets.length, nowMs)
  const clientOf = (transports: readonly Transport[]) => {
    const checked = transports.map((transport, place) => clock.checked(place, transport))
    const { request } = createClient({ transport: fallback(checked, { retryCount: 0 }) })
    return { request }
  }
  if (hosts.length === 0) {
    const overSockets = clientOf(sockets.map((socket) => socketTransport(socket, timeoutMs)))
    return () => overSockets
  }
  const overHttp = (batch: Batch) => clientOf(hosts.map((host) => httpTransport(host, { timeoutMs, batch })))
  // `eth_getLogs` is sent alone. In a batch, its large answer would delay the other answers, and its refusal
  // would make the other requests fail.
  const alone = overHttp(false)
  const batched = overHttp({ batchSize: batchCountMax })
  return (method: string) => (method === 'eth_getLogs' ? alone : batched)
}

type Host = Readonly<{ url: string; pause: HostPause }>

const httpTransport = ({ url, pause }: Host, { timeoutMs, batch }: Readonly<{ timeoutMs: DurationMs; batch: Batch }>) =>
  http(url, {
    ...{ batch, retryCount: 0, timeout: timeoutMs, maxResponseBodySize: answerBytesMax },
    onFetchRequest: pause.check,
    onFetchResponse: (response) => {
      pause.noteResponse(response)
      refuseBusy(response, url)
    },
    ...(batch && { fetchFn: fetchBatch(answerBytesMax) }),
  })

const socketTransport = (socket: NodeSocket, timeoutMs: DurationMs) =>
  custom({ request: (call: RpcCall) => socket.request(call, timeoutMs) }, { retryCount: 0 })

/**
 * Throws if the HTTP status says that the node is busy. viem drops the status if the body holds a JSON-RPC
 * error. A status 429 would then look as if the node had refused the block range.
 */
function refuseBusy(response: Response, url: string): void {
  if (busyStatuses.has(response.status))
    throw new HttpRequestError({ url, status: response.status, headers: response.headers })
}

type HostPause = Readonly<{
  /** Throws during the pause that the server has requested. The client then tries the next URL. */
  check(): void
  /** Reads the `Retry-After` header of a failed response. The pause lasts as long as this header requests. */
  noteResponse(response: Response): void
}>

/**
 * Enforces the pause that a server requests with `Retry-After`. Until the pause ends, each check fails as if
 * the server had answered 429 again.
 */
export function createHostPause(url: string, nowMs: () => number): HostPause {
  const pause = createRequestedPause(nowMs)
  return {
    check() {
      const leftMs = pause.leftMs()
      if (leftMs <= 0) return
      const headers = new Headers({ 'retry-after': String(Math.ceil(leftMs / 1000)) })
      throw new HttpRequestError({ url, status: 429, headers, details: 'the node asked for a pause' })
    },
    noteResponse({ ok, headers }) {
      if (!ok) pause.asked(retryAfterMsOf(headers, nowMs()))
    },
  }
}
