/** The questions on the derived topic that have no answer among the facts. This state is only in the log. */

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
  /** Continues to read a partition of the derived topic, and returns the offset where it ended. */
  readOn(partition: number, fromOffset: number): Promise<number>
  /**
   * One open question that is due. Live questions go first, so that they never wait for a backfill: newest first,
   * except that those read late follow, oldest first. Backfill questions go last, oldest first.
   */
  next(isDue?: (question: Question) => boolean): Question | undefined
  /**
   * Whether every partition of the derived topic was read past this block time, so that all questions about earlier
   * instants are known.
   */
  isReadUntil(blockAtMs: EpochMs): boolean
  /** Makes the question due no earlier than this. The log does not know it, so a restart asks at once. */
  postpone(question: Question, untilMs: EpochMs): void
  close(question: Question): void
}>

type Options = Readonly<{
  chain: Pick<Chain, 'stage' | 'lookups'>
  log: Log
  codecs: Pick<IngestCodecs, 'facts' | 'derived'>
  nowMs: () => EpochMs
}>

/** An answer is written some time after its question became known, by another clock. */
const answerKeptMs = hourMs

/**
 * Reads the answers of the last `ageMsMax`, by tick time. `startOffsets` are the offsets in each partition of the
 * derived topic from which questions of that time begin. Answers are forgotten once a restart would read neither them
 * nor their questions.
 */
export async function readOpenQuestions(
  { chain: { stage, lookups }, log, codecs, nowMs }: Options,
  ageMsMax: DurationMs,
): Promise<Readonly<{ questions: OpenQuestions; startOffsets: readonly number[] }>> {
  const partitions = Array.from({ length: stage.factTopic.partitionCount }, (_, partition) => partition)
  const sinceMs = nowMs() - ageMsMax
  const given: (readonly [id: string, answer: Answered])[] = []
  const open = new Map<string, Question>()
  const dueAtMs = new WeakMap<Question, number>()
  const readUntilMs = partitions.map(() => Number.NEGATIVE_INFINITY)
  /**
   * The tick that the records being read belong to. It is unknown before the first tick, when any answer may be older.
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
   * After a reorg the stage forgets an answer, unless the answer comes after the tick of the reorg. A question asked
   * again is then new.
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
    const id = idOf(question.lookup, question.asked)
    if (!answered.has(id)) open.set(id, question)
  }

  const readQuestions = (derived: TypedPartition, key: string, value: Buffer | null) => {
    const { partition } = derived
    const withdrawn = dataOf<RowKey>(derived, 'Withdrawn', value)
    for (const lookup of lookups) {
      if (withdrawn?.recordType === lookup.questionType)
        forget(lookup, { key: withdrawn, token: key, seq: readingSeq[partition] ?? 0 })
      const asked = dataOf<QuestionFields>(derived, lookup.questionType, value)
      if (asked) noteQuestion({ lookup, partition, key, seenAtMs: nowMs(), asked })
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
      return firstOf(open.values(), atMs, (question) => (dueAtMs.get(question) ?? atMs) <= atMs && isDue(question))
    },
    postpone: (question, untilMs) => void dueAtMs.set(question, untilMs),
    isReadUntil: (blockAtMs) => readUntilMs.every((untilMs) => untilMs >= blockAtMs),
    close: ({ lookup, asked }) => {
      open.delete(idOf(lookup, asked))
      answered.add(idOf(lookup, asked), { atMs: nowMs(), behindSeq: 0 })
      answered.forgetBefore(nowMs() - ageMsMax - answerKeptMs)
    },
  }
  return { questions, startOffsets }
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
  return rank === 0 ? one.asked.atMs > other.asked.atMs : one.asked.atMs < other.asked.atMs
}

function rankOf(question: Question, nowMs: EpochMs): 0 | 1 | 2 {
  if (isBackfilled(question.asked, nowMs)) return 2
  return isReadLate(question) ? 1 : 0
}
