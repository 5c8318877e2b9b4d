import { isOperationError, OperationError } from '../../infra/errors.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import type { Delay } from '../delay.ts'
import type { AnswerFields, Lookup } from './lookup.ts'
import type { Question } from './question.ts'

export type Answering = Readonly<{
  /**
   * The maximum age of a question (a record that asks ingest for outside data). An older question gets a
   * failure as its answer, without a lookup.
   */
  questionAgeMsMax: DurationMs
  nowMs: () => EpochMs
  logger: Logger
  delay: Delay
  signal: AbortSignal
}>

/** The maximum number of attempts to complete an answer while a part of it is missing. */
const attemptsMax = 5
export const attemptPauseMs = 2_000

/**
 * Returns the answer record with the found data or with a failure. If a part of the data is missing and there
 * is time for another attempt, returns null. Does not throw.
 */
export async function answerTo(question: Question, answering: Answering): Promise<StageRecord | null> {
  const { lookup, data } = question
  const { questionId, revision } = data
  const outcome = await find(question, answering)
  if (outcome === null) return null
  const { found, failure, isNothing = false } = outcome
  const fields: AnswerFields = { questionId, revision, failure, answeredAtMs: answering.nowMs() }
  return { type: lookup.answerType, data: { ...lookup.answerOf(data, found, isNothing), ...fields } }
}

type Outcome = Readonly<
  ({ found: unknown; failure: null } | { found: null; failure: string }) & { isNothing?: boolean }
>

async function find(question: Question, answering: Answering): Promise<Outcome | null> {
  const { lookup, data, seenAtMs } = question
  const { questionAgeMsMax, nowMs, delay, signal, logger } = answering
  if (nowMs() - data.atMs > questionAgeMsMax) return failed('too old')
  const context = { signal, ageMs: () => nowMs() - Math.min(data.atMs, seenAtMs) }
  const logFailure = (level: 'info' | 'warn', reason: string) => {
    if (!signal.aborted) logger[level]({ questionId: data.questionId, reason }, 'a lookup failed')
    return failed(reason)
  }
  let missing = ''
  try {
    for (let count = 0; count < attemptsOf(question) && !signal.aborted; count++) {
      if (count > 0) await delay(attemptPauseMs, signal)
      const finding = await lookup.find(data, context)
      if ('found' in finding) return { found: finding.found, failure: null }
      missing = finding.missing
    }
    if (isAskedAgain(lookup, context.ageMs())) return null
  } catch (error) {
    // The provider answered that the requested data do not exist. This is no failure of the provider, and it happens
    // often, because chats also name tokens that can no longer be traded.
    if (isOperationError(error, 'nothing_found')) {
      logger.debug({ questionId: data.questionId, reason: error.message }, 'a lookup found nothing')
      return { ...failed(error.message), isNothing: true }
    }
    if (isOperationError(error, 'node_refused')) return logFailure('info', error.message)
    missing = error instanceof OperationError ? error.message : 'the reader failed'
  }
  return logFailure(levelOf(lookup), missing)
}

/** Returns the log level for a failure. If a lookup often finds nothing, its failure is normal. */
const levelOf = ({ oftenFails = false }: Lookup): 'info' | 'warn' => (oftenFails ? 'info' : 'warn')

/** Returns the number of attempts in a row. A question that was read too late to be asked again gets all its attempts in a row. */
const attemptsOf = ({ lookup: { askForMs = 0, oftenFails = false }, data, seenAtMs }: Question): number =>
  oftenFails || seenAtMs - data.atMs < askForMs ? 1 : attemptsMax

const isAskedAgain = ({ askForMs = 0 }: Lookup, ageMs: DurationMs): boolean => ageMs + attemptPauseMs < askForMs

const failed = (failure: string) => ({ found: null, failure })
