/**
 * Makes JSON-RPC requests. Each try has a time limit. If a request is slow, a copy of it is sent in parallel.
 * After a failure, the request is sent again, with growing waits.
 */

import type { OperationError } from '../../../infra/errors.ts'
import { hostOf } from '../../../infra/http-url.ts'
import { limited } from '../../../infra/limited.ts'
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
  /** The logger that gets each failed try at level debug. */
  logger?: Pick<Logger, 'debug'>
  /** Waits between tries. */
  delay?: Delay
  /** Waits for a given time. Used to decide when a request counts as slow, so that a copy of it is sent. */
  timer?: Delay
  nowMs?: () => number
  /** Default: HTTP. */
  transport?: Transport
}>

const timeoutMsDefault = 20_000
/**
 * The maximum number of requests to one node at the same time, over all callers. The copies of slow requests
 * do not count.
 */
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
      // Makes a signal of this call alone. Without it, many requests would add their listeners to the
      // caller's signal.
      const { signal, release } = limited([outer])
      return await askAgain(() => askOnce({ method, params }, signal), {
        ...{ signal, triesMax, pause, mayPass },
        onFailure: ({ message }, tryCount) =>
          logger?.debug({ tryCount, reason: message }, 'a request to the node failed'),
      }).finally(release)
    },
  }
}

const mayPass = (_: readonly OperationError[], { code }: OperationError): boolean => code === 'node_unreachable'

/**
 * Creates the function that makes one try. The function first waits until fewer than `requestsAtOnceMax`
 * requests are running, and until a pause that the node requested is over.
 */
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
      // After the abort, every failure comes from the abort itself.
      signal.throwIfAborted()
      throw error
    })
}

/**
 * Returns the kind of a request. The usual duration is measured per kind, because requests for the contents
 * of transactions take longer.
 */
function kindOf({ method, params }: Call): string {
  const { transactionDetails } = (params[1] ?? {}) as Readonly<{ transactionDetails?: unknown }>
  return typeof transactionDetails === 'string' ? `${method} ${transactionDetails}` : method
}
