/**
 * Runs a chain's lookups. It reads the questions from the topic of derived records, requests data from the
 * outside sources and writes the answers as facts.
 */

import { setMaxListeners } from 'node:events'
import { crashPoint } from '../../infra/crash-points.ts'
import type { Log, LogWriter, NewRecord } from '../../infra/log/log.ts'
import { runTogether } from '../../infra/run-together.ts'
import type { Logger } from '../../infra/telemetry.ts'
import { type EpochMs, hourMs } from '../../schemas/units.ts'
import type { Chain } from '../chain.ts'
import type { IngestCodecs } from '../codecs.ts'
import { type Delay, delay as realDelay } from '../delay.ts'
import { answerTo, attemptPauseMs } from './answer.ts'
import type { Lookup } from './lookup.ts'
import { type OpenQuestions, readOpenQuestions } from './open-questions.ts'
import { isBackfilled, isReadLate, type Question } from './question.ts'

export type LookupOptions = Readonly<{
  chain: Pick<Chain, 'stage' | 'lookups'>
  log: Log
  codecs: Pick<IngestCodecs, 'facts' | 'derived'>
  nowMs: () => EpochMs
  logger: Logger
  signal: AbortSignal
  delay?: Delay
}>

type Running = Required<LookupOptions> &
  Readonly<{
    writer: LogWriter
    questions: OpenQuestions
    /** The questions whose lookup is running now. */
    taken: Set<Question>
  }>

/** A group of questions. A question waits only for other questions of its group. */
type QuestionQueue = Readonly<{ has: (question: Question) => boolean; isInOrder: boolean; answeredAtOnce: number }>

/**
 * The maximum age of a question. If nothing is recorded yet, ingest reads the last 24 h of the chain (a
 * backfill), which may take half an hour.
 */
const questionAgeMsMax = 24.5 * hourMs
const idleMs = 250
const listenersMax = 100
/** The maximum number of answers to old questions that are written to the log together. */
const batchCountMax = 200
const batchMsMax = 250
/**
 * The maximum time for which an old question waits until ingest has read the other partitions up to the
 * question's time.
 */
const behindMsMax = 300_000

/**
 * Runs the lookups until the signal aborts. Returns at once if the chain has no lookups. A question stays
 * open until its answer or failure is written, so ingest finds the question again after a restart. Fails only
 * if the Kafka log fails. For example, `writer_fenced` means that another process has started the same
 * lookups.
 */
export async function runLookups(options: LookupOptions): Promise<void> {
  const { stage, lookups } = options.chain
  if (lookups.length === 0) return
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  // More loops listen to this signal than Node allows without a warning.
  setMaxListeners(listenersMax, signal)
  const writer = await options.log.openWriter(`lookups-${stage.name}`, { isTransactional: false })
  try {
    const { questions, startOffsets } = await readOpenQuestions(options, questionAgeMsMax)
    const running = { delay: realDelay, ...options, signal, writer, questions, taken: new Set<Question>() }
    const readers = startOffsets.map((offset, partition) => followQuestions(running, partition, offset))
    const answering = queuesOf(lookups).flatMap((queue) =>
      Array.from({ length: queue.answeredAtOnce }, () => answerQuestions(running, queue)),
    )
    await runTogether([...readers, ...answering], stop)
  } finally {
    await writer.close()
  }
}

async function followQuestions({ chain, log, questions, signal }: Running, partition: number, startOffset: number) {
  const topic = chain.stage.derivedTopic.name
  let offset = startOffset
  while (!signal.aborted) {
    offset = await questions.readOn(partition, offset)
    await log.waitForAppend({ topic, partition, offset }, signal)
  }
}

/**
 * The maximum number of urgent questions whose lookups run at the same time. A provider that does not answer
 * blocks at most this many.
 */
const urgentAtOnce = 4
const slowAtOnce = 2

/**
 * Groups the questions of the lookups into queues. Questions of fast lookups are answered one at a time,
 * because an answer may depend on earlier answers.
 */
function queuesOf(lookups: readonly Lookup[]): readonly QuestionQueue[] {
  const isUrgent = ({ lookup, data }: Question) => lookup.isSlow === true && (lookup.isUrgent?.(data) ?? false)
  const queues: readonly QuestionQueue[] = [
    { has: ({ lookup }) => !lookup.isSlow, isInOrder: true, answeredAtOnce: 1 },
    { has: isUrgent, isInOrder: false, answeredAtOnce: urgentAtOnce },
    { has: (each) => each.lookup.isSlow === true && !isUrgent(each), isInOrder: true, answeredAtOnce: slowAtOnce },
  ]
  return lookups.some(({ isSlow }) => isSlow) ? queues : queues.slice(0, 1)
}

async function answerQuestions(running: Running, queue: QuestionQueue): Promise<void> {
  const { questions, signal, nowMs, delay, taken } = running
  const isDue = (question: Question) =>
    queue.has(question) &&
    !taken.has(question) &&
    (queue.isInOrder && (isBackfilled(question.data, nowMs()) || isReadLate(question))
      ? isInOrder(question, running)
      : hasWaited(question, running))
  while (!signal.aborted) {
    const question = questions.next(isDue)
    if (question) await answerSome(running, question, isDue)
    else await delay(idleMs, signal)
  }
}

/**
 * Whether an old question (`isBackfilled`) may be answered now. The old questions of all partitions are
 * answered in time order, because answers depend on earlier answers.
 */
const isInOrder = ({ data, seenAtMs }: Question, { questions, nowMs }: Running): boolean =>
  questions.isReadUntil(data.atMs) || nowMs() - seenAtMs > behindMsMax

/**
 * Whether a live question has waited for `askAfterMs`. The wait begins at the earlier of two times: the
 * question's `atMs`, and the time at which ingest read the question. So a chain whose clock is ahead does not
 * delay questions.
 */
const hasWaited = ({ lookup, data, seenAtMs }: Question, { nowMs }: Running): boolean =>
  nowMs() - Math.min(data.atMs, seenAtMs) >= lookup.askAfterMs

/**
 * Answers one live question, or several old questions. There are many old questions, and one write to the log
 * for each would be slow. So answers within a short time are written together.
 */
async function answerSome(running: Running, first: Question, isDue: (question: Question) => boolean): Promise<void> {
  const { chain, questions, signal, writer, codecs, nowMs, taken } = running
  const untilMs = nowMs() + batchMsMax
  const answered: Question[] = []
  const records: NewRecord[] = []
  for (let question: Question | undefined = first; question !== undefined; ) {
    taken.add(question)
    const answer = await answerTo(question, { ...running, questionAgeMsMax })
    // If ingest stops, the question does not fail. It stays open until the next start.
    if (signal.aborted) return
    if (answer === null) {
      taken.delete(question)
      questions.postpone(question, attemptPauseMs)
      break
    }
    const { partition, key } = question
    const value = codecs.facts.encode(answer.type, answer.data)
    records.push({ topic: chain.stage.factTopic.name, partition, key, value })
    answered.push(question)
    if (records.length >= batchCountMax || nowMs() > untilMs || !isBackfilled(question.data, nowMs())) break
    question = questions.next(isDue)
  }
  if (records.length === 0) return
  crashPoint('lookup-before-append')
  await writer.append(records)
  crashPoint('lookup-after-append')
  for (const question of answered) {
    questions.close(question)
    taken.delete(question)
  }
}
