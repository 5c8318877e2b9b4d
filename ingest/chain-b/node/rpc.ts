/**
 * Makes JSON-RPC requests. Each call has a time limit. A slow request is sent a second time in parallel.
 * After a failure, the request is retried with growing waits.
 */
import type { OperationError } from '../../../infra/errors.ts'
import { hostOf } from '../../../infra/http-url.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import { type Delay, delay as realDelay } from '../../delay.ts'
import { askAgain, type Pause, triesMaxDefault } from '../../node/ask-again.ts'
import { createAskTwice } from '../../node/ask-twice.ts'
import { createPlaces } from '../../node/places.ts'
import { createRequestedPause } from '../../node/requested-pause.ts'
import { type Call, createHttpTransport, type Transport } from './http-transport.ts'

export type Rpc = Readonly<{
  host: string
  request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
}>

export type RpcOptions = Readonly<{
  url: string
  /** The time limit of one try, including the time to read the body. Default: 20 s. */
  timeoutMs?: number
  /** The number of tries. Default 9. */
  triesMax?: number
  /** Logs each failed try at level debug. */
  logger?: Pick<Logger, 'debug'>
  /** Waits between tries. */
  delay?: Delay
  /** Waits for the time after which a request counts as slow and is sent again. */
  timer?: Delay
  nowMs?: () => number
  /** Default: HTTP. */
  transport?: Transport
}>

const timeoutMsDefault = 20_000
/** The maximum number of requests to one node at the same time, over all callers. Copies of a slow request do not count. */
const requestsAtOnceMax = 16

export function createRpc(options: RpcOptions): Rpc {
  const { url, triesMax = triesMaxDefault, delay = realDelay, logger } = options
  const pause: Pause = async (_, waitMs, signal) => {
    await delay(waitMs, signal)
    signal.throwIfAborted()
  }
  const askOnce = createAskOnce(options, pause)
  return {
    host: hostOf(url),
    async request(method, params, outer) {
      outer.throwIfAborted()
      // Makes a new signal. Otherwise many requests would add listeners to the caller's signal.
      const signal = AbortSignal.any([outer])
      return await askAgain(() => askOnce({ method, params }, signal), {
        ...{ signal, triesMax, pause, mayPass },
        onFailure: ({ message }, tryCount) =>
          logger?.debug({ tryCount, reason: message }, 'a request to the node failed'),
      })
    },
  }
}

const mayPass = (_: readonly OperationError[], { code }: OperationError): boolean => code === 'node_unreachable'

/** Makes one try. First waits for a free place (`requestsAtOnceMax`), and for the end of a pause that the node requested. */
function createAskOnce(options: RpcOptions, pause: Pause): Transport {
  const { url, timeoutMs = timeoutMsDefault, timer = realDelay, nowMs = () => performance.now() } = options
  const { transport = createHttpTransport({ url, timeoutMs }) } = options
  const inPlace = createPlaces(requestsAtOnceMax)
  const requested = createRequestedPause(nowMs)
  const askTwice = createAskTwice({ timer, nowMs, isWelcome: () => requested.leftMs() === 0 })

  const askAndNote = async (call: Call, signal: AbortSignal) => {
    try {
      return await transport(call, signal)
    } catch (error) {
      requested.asked(Number((error as Partial<OperationError>).context?.retryAfterMs ?? 0))
      throw error
    }
  }
  return async (call, signal) =>
    await inPlace(async () => {
      for (let leftMs = requested.leftMs(); leftMs > 0; leftMs = requested.leftMs()) await pause(0, leftMs, signal)
      signal.throwIfAborted()
      return await askTwice({ kind: kindOf(call), signal, ask: (limited) => askAndNote(call, limited) })
    }, signal).catch((error: unknown) => {
      // A failure after the abort comes from the abort itself.
      signal.throwIfAborted()
      throw error
    })
}

/**
 * Returns the kind of a request. The usual latency is measured per kind, because a block or list with the contents of transactions takes
 * longer.
 */
function kindOf({ method, params }: Call): string {
  const { transactionDetails } = (params[1] ?? {}) as Readonly<{ transactionDetails?: unknown }>
  return typeof transactionDetails === 'string' ? `${method} ${transactionDetails}` : method
}
