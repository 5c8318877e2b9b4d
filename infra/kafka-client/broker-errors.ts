/** Classifies the errors of requests to a Kafka broker, and retries the requests. */
import { setTimeout as delay } from 'node:timers/promises'
import { isOperationError, OperationError } from '../errors.ts'

/** The name of a broker's error in the Kafka protocol. Null if no broker answered. */
export function answerOf(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ('type' in cause && typeof cause.type === 'string') return cause.type
  return null
}

/**
 * The broker's error names after which the same request may succeed in a moment. For example, a leader or a
 * coordinator is moving to another broker, or the producer's last transaction is still ending.
 */
const passing = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REQUEST_TIMED_OUT',
  'BROKER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'NETWORK_EXCEPTION',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'NOT_CONTROLLER',
  'CONCURRENT_TRANSACTIONS',
  'OPERATION_NOT_ATTEMPTED',
  'KAFKA_STORAGE_ERROR',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'OFFSET_NOT_AVAILABLE',
])

/**
 * Whether no broker was reached, or no broker answered. The names of these errors begin with `KafkaJS`.
 * Errors from our own bugs have other names.
 */
export const isUnreachable = (error: unknown): boolean =>
  answerOf(error) === null && error instanceof Error && error.name.startsWith('KafkaJS')

/** Whether a retry may succeed after this error. */
export const isPassing = (error: unknown): boolean => passing.has(answerOf(error) ?? '') || isUnreachable(error)

/**
 * Returns the failure as `log_unavailable` if a retry may succeed, otherwise as `log_failed`. Returns an error from a
 * bug unchanged.
 */
export function clusterFailure(doing: string, cause: unknown): unknown {
  if (isOperationError(cause)) return cause
  const answer = answerOf(cause)
  if (answer !== null && !passing.has(answer))
    return new OperationError('log_failed', `${doing} failed: the broker answered ${answer}`, { cause })
  if (answer === null && !isUnreachable(cause)) return cause
  const reason =
    answer === null
      ? `no broker answers (${textOf(cause as Error)}). Check the brokers and KAFKA_BROKERS`
      : `the broker answered ${answer}`
  return new OperationError('log_unavailable', `${doing} failed: ${reason}`, { cause })
}

const textOf = (error: Error): string => ('broker' in error ? `${error.broker}: ${error.message}` : error.message)

export type Patience = Readonly<{
  /** What is attempted, for the text of the error. */
  doing: string
  /** The maximum time for retries, in milliseconds. Default: until the signal aborts. */
  patienceMs?: number
  signal?: AbortSignal
  /** Called before each retry, for example to look up the leader again. */
  beforeRetry?: (error: unknown) => void
  /** Whether a retry may help after this error. Default: `isPassing`. */
  mayRetry?: (error: unknown) => boolean
}>

/**
 * The shortest and the longest pause between two tries, in milliseconds. The first pause is short, because a
 * broker ends a transaction within milliseconds. The longest pause is small enough to find a restarted broker
 * soon.
 */
const pauseMsMin = 1
const pauseMsMax = 500

/**
 * Repeats `attempt` until it succeeds. Fails with `log_unavailable` after `patienceMs`. Fails with
 * `log_failed` without a retry if a retry would not help.
 */
export async function tryAgain<Result>(attempt: () => Promise<Result>, patience: Patience): Promise<Result> {
  const { doing, patienceMs = Number.POSITIVE_INFINITY, signal, beforeRetry, mayRetry = isPassing } = patience
  const untilMs = performance.now() + patienceMs
  let pauseMs = pauseMsMin
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayRetry(error) || performance.now() + pauseMs > untilMs || signal?.aborted)
        throw clusterFailure(doing, error)
      beforeRetry?.(error)
      await delay(pauseMs, undefined, signal ? { signal } : {}).catch(() => {})
      pauseMs = Math.min(pauseMsMax, pauseMs * 1.5)
    }
  }
}
