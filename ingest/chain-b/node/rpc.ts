/** JSON-RPC over HTTP: each call with a time limit and tries with growing waits. No failure shows a key. */
import { isOperationError, type OperationError } from '../../../infra/errors.ts'
import { hostOf } from '../../../infra/http-url.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import { type Delay, delay as realDelay } from '../../delay.ts'
import { createRedactor } from '../../redact.ts'
import { textOfResponse } from '../../text-of-response.ts'
import { failureOfAnswer, failureOfStatus, inconsistent, unreachable } from './failures.ts'

export type Rpc = Readonly<{
  host: string
  request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
}>

export type RpcOptions = Readonly<{
  url: string
  /** Of one try, with its body. */
  timeoutMs?: number
  triesMax?: number
  /** Hears of each failed try, at level debug. */
  logger?: Pick<Logger, 'debug'>
  delay?: Delay
}>

const timeoutMsDefault = 20_000
/** With the waits between them about six seconds, and the time limits. */
const triesMaxDefault = 6
const waitMsFirst = 200
/** A whole block has less than a tenth of it. */
const answerBytesMax = 128 * 1_048_576

export function createRpc(options: RpcOptions): Rpc {
  const { url, triesMax = triesMaxDefault, delay = realDelay, logger } = options
  return {
    host: hostOf(url),
    async request(method, params, signal) {
      for (let tryCount = 1; ; tryCount++) {
        signal.throwIfAborted()
        try {
          return await askOnce(options, { method, params }, signal)
        } catch (error) {
          signal.throwIfAborted()
          if (!isOperationError(error, 'node_unreachable') || tryCount >= triesMax) throw error
          logger?.debug({ tryCount, reason: error.message }, 'a request to the node failed')
          await delay(waitMsOf(error, tryCount), signal)
        }
      }
    },
  }
}

/** Twice as long each time, less up to a half by chance, and never less than the node asks for. */
function waitMsOf({ context }: OperationError, tryCount: number): number {
  const backoffMs = waitMsFirst * 2 ** (tryCount - 1) * (0.5 + Math.random() / 2)
  return Math.round(Math.max(backoffMs, Number(context.retryAfterMs ?? 0)))
}

type Call = Readonly<{ method: string; params: readonly unknown[] }>
type Answer = Readonly<{ result?: unknown; error?: Readonly<{ code?: unknown; message?: unknown }> | null }>

async function askOnce(options: RpcOptions, call: Call, signal: AbortSignal): Promise<unknown> {
  const { url, timeoutMs = timeoutMsDefault } = options
  const { method } = call
  const deadline = AbortSignal.timeout(timeoutMs)
  const redact = createRedactor([url])
  let text: string
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
      signal: AbortSignal.any([signal, deadline]),
    })
    const whole = await textOfResponse(response, answerBytesMax)
    if (whole === null) throw inconsistent(`the node's answer is larger than ${answerBytesMax} bytes`)
    text = whole
    const failure = failureOfStatus(method, response)
    if (failure) throw failure
  } catch (error) {
    if (isOperationError(error)) throw error
    if (deadline.aborted) throw unreachable(`no answer to ${method} in ${timeoutMs} ms`)
    throw unreachable(`the node did not answer ${method}: ${redact(reasonOf(error))}`)
  }
  const { result, error } = answerIn(text, method)
  if (error) throw failureOfAnswer(method, error.code, redact(String(error.message ?? 'no reason')))
  return result
}

/** `fetch failed` alone does not say that the connection was refused. */
function reasonOf(error: unknown): string {
  const { message = '', code } = (
    error instanceof Error && error.cause instanceof Error ? error.cause : error
  ) as Error & Readonly<{ code?: string }>
  return message || code || 'unknown reason'
}

/** A connection that breaks in the middle of an answer, or a gateway's page: it may be answered later. */
function answerIn(text: string, method: string): Answer {
  try {
    const answer: unknown = JSON.parse(text)
    if (answer !== null && typeof answer === 'object' && ('result' in answer || 'error' in answer))
      return answer as Answer
  } catch {
    // Reported below.
  }
  throw unreachable(`the node did not answer ${method} with JSON-RPC`)
}
