/** What a failed request means, and trying again. */
import { setTimeout as delay } from 'node:timers/promises'
import { isOperationError, OperationError } from '../errors.ts'

/** The error's name in the protocol, or null where no broker answered. */
export function answerOf(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ('type' in cause && typeof cause.type === 'string') return cause.type
  return null
}

/** Something is moving (a leader, a coordinator, the end of the last transaction): the same request may do in a moment. */
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

/** No broker was reached or none answered; our own bugs have other names. */
export const isUnreachable = (error: unknown): boolean =>
  answerOf(error) === null && error instanceof Error && error.name.startsWith('KafkaJS')

export const isPassing = (error: unknown): boolean => passing.has(answerOf(error) ?? '') || isUnreachable(error)

/** As the log port names it. */
export function logFailure(doing: string, cause: unknown): unknown {
  if (isOperationError(cause)) return cause
  const answer = answerOf(cause)
  if (answer !== null && !passing.has(answer))
    return new OperationError('log_failed', `${doing}: the broker says ${answer}`, { cause })
  if (answer === null && !isUnreachable(cause)) return cause
  const reason = answer ?? `no broker answers (${cause instanceof Error ? cause.message : cause})`
  return new OperationError('log_unavailable', `${doing}: ${reason}`, { cause })
}

export type Patience = Readonly<{
  /** For the error: what was tried. */
  doing: string
  /** How long it is tried again; without it, as long as the signal allows. */
  patienceMs?: number
  signal?: AbortSignal
  /** Between two attempts: to look again where the leader is. */
  beforeRetry?: (error: unknown) => void
  /** Which failures another attempt may follow. Default: all that pass. */
  mayRetry?: (error: unknown) => boolean
}>

/**
 * The first pause is short: a broker that still ends a transaction is done within milliseconds. The longest keeps a
 * broker that comes back from being found late.
 */
const pauseMsMin = 1
const pauseMsMax = 500

/** Fails with `log_unavailable` when the patience is over, `log_failed` at once for what no waiting changes. */
export async function tryAgain<Result>(attempt: () => Promise<Result>, patience: Patience): Promise<Result> {
  const { doing, patienceMs = Number.POSITIVE_INFINITY, signal, beforeRetry, mayRetry = isPassing } = patience
  const untilMs = performance.now() + patienceMs
  let pauseMs = pauseMsMin
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayRetry(error) || performance.now() + pauseMs > untilMs || signal?.aborted) throw logFailure(doing, error)
      beforeRetry?.(error)
      await delay(pauseMs, undefined, signal ? { signal } : {}).catch(() => {})
      pauseMs = Math.min(pauseMsMax, pauseMs * 1.5)
    }
  }
}
