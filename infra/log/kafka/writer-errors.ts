/** Translates a broker's error into the error that the writer of the log throws. */
import { OperationError } from '../../errors.ts'
import { answerOf } from '../../kafka-client/broker-errors.ts'
import { writerFenced } from '../append.ts'

/**
 * The broker's errors for a writer whose epoch has ended. A later writer of the name was opened, or this writer was
 * idle or inside an append for too long.
 */
const fencedAnswers = new Set([
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'TRANSACTION_COORDINATOR_FENCED',
])
const lostAnswers = new Set(['INVALID_TXN_STATE', 'OUT_OF_ORDER_SEQUENCE_NUMBER'])

/** Whether the broker has no open transaction of this writer any more. */
export const isOver = (error: unknown): boolean => {
  const answer = answerOf(error) ?? ''
  return fencedAnswers.has(answer) || lostAnswers.has(answer)
}

export function asWriterError(error: unknown, writerId: string): unknown {
  const answer = answerOf(error)
  if (answer === null) return error
  if (fencedAnswers.has(answer)) return writerFenced(writerId)
  if (lostAnswers.has(answer))
    return new OperationError(
      'log_unavailable',
      `the broker no longer knows the writer ${writerId}. The broker answered ${answer}`,
      {
        cause: error,
      },
    )
  return error
}
