/**
 * Tracks the open questions: the question records of the derived topic that have no answer among the facts.
 * After a restart, this state is read from Kafka again.
 */

import type { Log } from '../../infra/log/log.ts'
import { dataOf, scan, type TypedPartition } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { RowKey } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import { type DurationMs, type EpochMs, hourMs } from '../../schemas/units.ts'
import type { Chain } from '../chain.ts'
import type { IngestCodecs } from '../codecs.ts'
import { type Answered, createAnswered } from './answered.ts'
import type { AnswerFields, Lookup, QuestionFields } from './lookup.ts'
import { idOf, isBackfilled, isReadLate, type Question } from './question.ts'

export type OpenQuestions = Readonly<{
  /** Reads a partition of the derived topic from an offset on, and returns the offset at which the read ended. */
  readOn(partition: number, fromOffset: number): Promise<number>
  /**
   * Returns an open question that is due, in this order:
   * 1. live questions, newest first, so that they never wait for old questions
   * 2. questions that ingest read late, oldest first
   * 3. questions older than 10 minutes, oldest first
   */
  next(isDue?: (question: Question) => boolean): Question | undefined
  /**
   * Whether ingest has read every partition of the derived topic past this block time. If true, all questions
   * about earlier times are known.
   */
  isReadUntil(blockAtMs: EpochMs): boolean
  /**
   * Postpones the question for a time. This is not stored, so the question is due at once after a restart, and
   * also after the clock was set back.
   */
  postpone(question: Question, forMs: DurationMs): void
  close(question: Question): void
}>

type Options = Readonly<{
  chain: Pick<Chain, 'stage' | 'lookups'>
  log: Log
  codecs: Pick<IngestCodecs, 'facts' | 'derived'>
  nowMs: () => EpochMs
}>

/**
 * The additional time for which answers are kept, in milliseconds. It is needed because a question has the
 * time of its block, and its answer has a later time of our clock.
 */
const answerKeptMs = hourMs

/**
 * Reads the answers of the last `ageMsMax`, and finds where the questions of that time begin. `startOffsets`
 * has this offset for each partition of the derived topic. An answer is forgotten as soon as a restart would
 * read neither the answer nor its question.
 */
export async function readOpenQuestions(
  { chain: { stage, lookups }, log, codecs, nowMs }: Options,
  ageMsMax: DurationMs,
): Promise<Readonly<{ questions: OpenQuestions; startOffsets: readonly number[] }>> {
  const partitions = Array.from({ length: stage.factTopic.partitionCount }, (_, partition) => partition)
  const sinceMs = nowMs() - ageMsMax
  const given: (readonly [id: string, answer: Answered])[] = []
  const open = new Map<string, Question>()
  const postponed = createPostponed(nowMs)
  const readUntilMs = partitions.map(() => Number.NEGATIVE_INFINITY)
  /**
   * For each partition, the number of the tick that will follow the records that are read now. The number is
   * infinite until the first tick is read. So until then, every answer counts as older than that tick.
   */
  const readingSeq = partitions.map(() => Number.POSITIVE_INFINITY)
  const derivedReader = (partition: number): TypedPartition => ({
    log,
    topic: stage.derivedTopic.name,
    partition,
    codec: codecs.derived,
  })
  const startOffsets: number[] = []
  for (const partition of partitions) {
    const facts = { log, topic: stage.factTopic.name, partition, codec: codecs.facts } as const
    let behindSeq = 0
    await scan(facts, await offsetKnownAt(facts, sinceMs), ({ value }) => {
      behindSeq = dataOf<Tick>(facts, 'Tick', value)?.seq ?? behindSeq
      for (const lookup of lookups) {
        const answer = dataOf<AnswerFields>(facts, lookup.answerType, value)
        if (answer) given.push([idOf(lookup, answer), { atMs: answer.answeredAtMs, behindSeq }])
      }
      return undefined
    })
    startOffsets.push(await offsetKnownAt(derivedReader(partition), sinceMs))
  }

  const answered = createAnswered(given)

  /**
   * Forgets the answers to a question that the stage has withdrawn after a reorg. If the stage asks again,
   * the question needs a new answer. An answer that was written after the tick of the reorg is kept.
   */
  const forget = (lookup: Lookup, { key, token, seq }: Readonly<{ key: RowKey; token: string; seq: number }>) => {
    const prefix = `${lookup.answerType}:${lookup.questionIdOf(key, token)}#`
    for (const id of [...answered.ids(), ...open.keys()]) {
      if (!id.startsWith(prefix) || answered.standsBehind(id, seq)) continue
      answered.forget(id)
      open.delete(id)
    }
  }

  const noteQuestion = (question: Question) => {
    const id = idOf(question.lookup, question.data)
    if (!answered.has(id)) open.set(id, question)
  }

  const readQuestions = (derived: TypedPartition, key: string, value: Buffer | null) => {
    const { partition } = derived
    const withdrawn = dataOf<RowKey>(derived, 'Withdrawn', value)
    for (const lookup of lookups) {
      if (withdrawn?.recordType === lookup.questionType)
        forget(lookup, { key: withdrawn, token: key, seq: readingSeq[partition] ?? 0 })
      const data = dataOf<QuestionFields>(derived, lookup.questionType, value)
      if (data) noteQuestion({ lookup, partition, key, seenAtMs: nowMs(), data })
    }
  }

  const questions: OpenQuestions = {
    readOn: (partition, fromOffset) => {
      const derived = derivedReader(partition)
      return scan(derived, fromOffset, ({ key, value }) => {
        const tick = dataOf<Tick>(derived, 'Tick', value)
        if (tick) {
          readUntilMs[partition] = Math.max(readUntilMs[partition] ?? 0, tick.blockAtMs)
          readingSeq[partition] = tick.seq + 1
        }
        readQuestions(derived, key, value)
        return undefined
      })
    },
    next: (isDue = () => true) => {
      const atMs = nowMs()
      return firstOf(open.values(), atMs, (question) => !postponed.has(question) && isDue(question))
    },
    postpone: postponed.add,
    isReadUntil: (blockAtMs) => readUntilMs.every((untilMs) => untilMs >= blockAtMs),
    close: ({ lookup, data }) => {
      open.delete(idOf(lookup, data))
      answered.add(idOf(lookup, data), { atMs: nowMs(), behindSeq: 0 })
      answered.forgetBefore(nowMs() - ageMsMax - answerKeptMs)
    },
  }
  return { questions, startOffsets }
}

function createPostponed(nowMs: () => EpochMs) {
  const all = new WeakMap<Question, Readonly<{ atMs: EpochMs; forMs: DurationMs }>>()
  return {
    add: (question: Question, forMs: DurationMs) => void all.set(question, { atMs: nowMs(), forMs }),
    has(question: Question): boolean {
      const one = all.get(question)
      return one !== undefined && nowMs() >= one.atMs && nowMs() < one.atMs + one.forMs
    },
  }
}

function firstOf(
  open: Iterable<Question>,
  atMs: EpochMs,
  isDue: (question: Question) => boolean,
): Question | undefined {
  let first: Question | undefined
  for (const question of open) if ((!first || comesBefore(question, first, atMs)) && isDue(question)) first = question
  return first
}

function comesBefore(one: Question, other: Question, nowMs: EpochMs): boolean {
  const [rank, otherRank] = [rankOf(one, nowMs), rankOf(other, nowMs)]
  if (rank !== otherRank) return rank < otherRank
  return rank === 0 ? one.data.atMs > other.data.atMs : one.data.atMs < other.data.atMs
}

function rankOf(question: Question, nowMs: EpochMs): 0 | 1 | 2 {
  if (isBackfilled(question.data, nowMs)) return 2
  return isReadLate(question) ? 1 : 0
}
