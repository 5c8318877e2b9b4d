/** What a broker's answer says about the writer that it was given to. */
import { OperationError } from '../../errors.ts'
import { answerOf } from '../../kafka-client/broker-errors.ts'
import { writerFenced } from '../append.ts'

/** The epoch is over: another one opened a writer of the name, or this one stood still for too long, in an append or at all. */
const fencedAnswers = new Set([
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'TRANSACTION_COORDINATOR_FENCED',
])
const lostAnswers = new Set(['INVALID_TXN_STATE', 'OUT_OF_ORDER_SEQUENCE_NUMBER'])

/** The broker knows of no transaction that could go on. */
export const isOver = (error: unknown): boolean => {
  const answer = answerOf(error) ?? ''
  return fencedAnswers.has(answer) || lostAnswers.has(answer)
}

export function asWriterError(error: unknown, writerId: string): unknown {
  const answer = answerOf(error)
  if (answer === null) return error
  if (fencedAnswers.has(answer)) return writerFenced(writerId)
  if (lostAnswers.has(answer))
    return new OperationError('log_unavailable', `the broker no longer knows the writer ${writerId}: ${answer}`, {
      cause: error,
    })
  return error
}
