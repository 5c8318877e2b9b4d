/** Answers what the stage asks of the outside: reads the questions from derived, asks the node, writes the answers as facts. */
import { crashPoint } from '../../infra/crash-points.ts'
import type { Log, LogWriter } from '../../infra/log/log.ts'
import { runTogether } from '../../infra/run-together.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { IngestCodecs } from '../codecs.ts'
import { type Delay, delay as realDelay } from '../delay.ts'
import type { OwnerReader, SenderReader } from '../source.ts'
import { answerTo } from './answer.ts'
import { type OpenQuestions, readOpenQuestions } from './open-questions.ts'
import { isBackfilled, type Question, type QuestionType } from './question.ts'

export type LookupOptions = Readonly<{
  log: Log
  codecs: Pick<IngestCodecs, 'facts' | 'derived'>
  readSenders: SenderReader
  readOwners: OwnerReader
  partitionCount: number
  nowMs: () => number
  logger: Logger
  signal: AbortSignal
  delay?: Delay
}>

type Lookup = Required<LookupOptions> & Readonly<{ writer: LogWriter; questions: OpenQuestions }>

const writerId = 'lookups'

/** A backfill of 24 h asks about bursts of that age; half an hour for the backfill itself. Older is answered as a failure. */
const questionAgeMsMax = 24.5 * 3_600_000
/** Buyers are shown no earlier than this after the burst, and by then nodes have indexed its transactions. */
const askAfterMs: Readonly<Record<QuestionType, number>> = { SendersAsked: 5_000, OwnersAsked: 0 }
const idleMs = 250
/** So long does a burst of a backfill wait for a partition of the stage that is behind, or stands still. */
const behindMsMax = 300_000

/**
 * Runs until the signal aborts. The question stays open until its answer, or its failure, is in the log; a restart finds
 * the open ones there. Fails only when the log does (`writer_fenced`: another lookup took over).
 */
export async function runLookups(options: LookupOptions): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const writer = await options.log.openWriter(writerId, { isTransactional: false })
  try {
    const ageMsMax = questionAgeMsMax
    const { questions, startOffsets } = await readOpenQuestions(options, { ...options, ageMsMax })
    const lookup = { delay: realDelay, ...options, signal, writer, questions }
    const readers = startOffsets.map((offset, partition) => followQuestions(lookup, partition, offset))
    await runTogether([...readers, answerQuestions(lookup)], stop)
  } finally {
    await writer.close()
  }
}

async function followQuestions({ log, questions, signal }: Lookup, partition: number, startOffset: number) {
  let offset = startOffset
  while (!signal.aborted) {
    offset = await questions.readOn(partition, offset)
    await log.waitForAppend({ topic: 'chain-a-derived', partition, offset }, signal)
  }
}

async function answerQuestions(lookup: Lookup): Promise<void> {
  const { questions, signal, nowMs, delay } = lookup
  const isDue = (question: Question) =>
    isBackfilled(question.asked, nowMs()) ? isInOrder(question, lookup) : hasWaited(question, lookup)
  while (!signal.aborted) {
    const question = questions.next(isDue)
    if (question) await answerOne(lookup, question)
    else await delay(idleMs, signal)
  }
}

/** Of the past all that is asked about earlier bursts is known, and so asked before it: what is known of buyers goes by that. */
const isInOrder = ({ asked, seenAtMs }: Question, { questions, nowMs }: Lookup): boolean =>
  questions.isReadUntil(asked.atMs) || nowMs() - seenAtMs > behindMsMax

/** By the wall clock of either, so that a chain whose clock runs ahead is not waited for. */
const hasWaited = ({ type, asked, seenAtMs }: Question, { nowMs }: Lookup): boolean =>
  nowMs() - Math.min(asked.atMs, seenAtMs) >= askAfterMs[type]

async function answerOne(lookup: Lookup, question: Question): Promise<void> {
  const { questions, signal, writer, codecs } = lookup
  const answer = await answerTo(question, { ...lookup, questionAgeMsMax })
  // Stopped in the middle: no failure of the question, it stays open.
  if (signal.aborted) return
  const value = codecs.facts.encode(answer.type, answer.data)
  crashPoint('lookup-before-append')
  await writer.append([{ topic: 'chain-a-facts', partition: question.partition, key: question.token, value }])
  crashPoint('lookup-after-append')
  questions.close(question)
}
