/** Answers "who sent these transactions?": reads the questions from derived, asks the node, writes the answers as facts. */
import { crashPoint } from '../../infra/crash-points.ts'
import { OperationError } from '../../infra/errors.ts'
import type { Log, LogWriter } from '../../infra/log/log.ts'
import { runTogether } from '../../infra/run-together.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { SendersAnswered } from '../../schemas/chain-a/facts.ts'
import type { IngestCodecs } from '../codecs.ts'
import { type Delay, delay as realDelay } from '../delay.ts'
import type { SenderReader } from '../source.ts'
import { type OpenQuestions, type Question, readOpenQuestions } from './open-questions.ts'

export type SendersLookupOptions = Readonly<{
  log: Log
  codecs: Pick<IngestCodecs, 'facts' | 'derived'>
  readSenders: SenderReader
  partitionCount: number
  nowMs: () => number
  logger: Logger
  signal: AbortSignal
  delay?: Delay
}>

type Lookup = Required<SendersLookupOptions> & Readonly<{ writer: LogWriter; questions: OpenQuestions }>

const writerId = 'lookup-senders'

/** A backfill of 24 h asks about bursts of that age; half an hour for the backfill itself. Older is answered as a failure. */
const questionAgeMsMax = 24.5 * 3_600_000
/** Buyers are shown no earlier than this after the burst, and by then nodes have indexed its transactions. */
const askAfterMs = 5_000
/** A node that does not know all of the transactions yet is asked this often. */
const attemptsMax = 5
const attemptPauseMs = 2_000
const idleMs = 250

/**
 * Runs until the signal aborts. The question stays open until its answer, or its failure, is in the log; a restart finds
 * the open ones there. Fails only when the log does (`writer_fenced`: another lookup took over).
 */
export async function runSendersLookup(options: SendersLookupOptions): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const writer = await options.log.openWriter(writerId, { isTransactional: false })
  try {
    const sinceMs = options.nowMs() - questionAgeMsMax
    const { questions, startOffsets } = await readOpenQuestions(options, { ...options, sinceMs })
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
  while (!signal.aborted) {
    const question = questions.newest()
    if (!question) {
      await delay(idleMs, signal)
      continue
    }
    // By the wall clock of either, so that a chain whose clock runs ahead is not waited for.
    const dueAtMs = Math.min(question.asked.atMs, question.seenAtMs) + askAfterMs
    if (dueAtMs > nowMs()) await delay(dueAtMs - nowMs(), signal)
    if (!signal.aborted) await answerOne(lookup, question)
  }
}

async function answerOne(lookup: Lookup, question: Question): Promise<void> {
  const { questions, signal, writer, codecs, nowMs } = lookup
  const outcome = await find(lookup, question)
  // Stopped in the middle: no failure of the question, it stays open.
  if (signal.aborted) return
  const { questionId, revision, pool } = question.asked
  const answer: SendersAnswered = { questionId, revision, pool, ...outcome, answeredAtMs: nowMs() }
  const value = codecs.facts.encode('SendersAnswered', answer)
  crashPoint('lookup-before-append')
  await writer.append([{ topic: 'chain-a-facts', partition: question.partition, key: question.token, value }])
  crashPoint('lookup-after-append')
  questions.close(question)
}

type Outcome = Pick<SendersAnswered, 'senders' | 'failure'>

async function find(lookup: Lookup, { asked }: Question): Promise<Outcome> {
  if (lookup.nowMs() - asked.atMs > questionAgeMsMax) return failed('too old')
  try {
    return await findAll(lookup, asked.txHashes)
  } catch (error) {
    const reason = error instanceof OperationError ? error.message : 'the sender reader failed'
    if (!lookup.signal.aborted) lookup.logger.warn({ questionId: asked.questionId, reason }, 'senders not found')
    return failed(reason)
  }
}

async function findAll({ readSenders, delay, signal }: Lookup, txHashes: readonly `0x${string}`[]): Promise<Outcome> {
  let missingCount = 0
  for (let attempt = 0; attempt < attemptsMax && !signal.aborted; attempt++) {
    if (attempt > 0) await delay(attemptPauseMs, signal)
    const found = await readSenders(txHashes, signal)
    const senders = txHashes.flatMap((txHash) => {
      const sender = found.get(txHash)
      return sender ? [{ txHash, sender }] : []
    })
    missingCount = txHashes.length - senders.length
    if (missingCount === 0) return { senders, failure: null }
  }
  // Part of the buyers would pass for all of them.
  return failed(`${missingCount} of ${txHashes.length} transactions are unknown to the node`)
}

const failed = (failure: string): Outcome => ({ senders: null, failure })
