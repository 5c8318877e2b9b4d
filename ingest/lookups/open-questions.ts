/** The questions in derived that have no answer in facts: the state of a lookup, which the log alone keeps. */

import type { Log } from '../../infra/log/log.ts'
import { dataOf, scan, type TypedPartition } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { Withdrawn } from '../../schemas/chain-a/derived.ts'
import type { ChainAAnswer } from '../../schemas/chain-a/facts.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { IngestCodecs } from '../codecs.ts'
import { answerTypes, idOf, isBackfilled, isQuestionType, type Question, questionTypes } from './question.ts'

export type OpenQuestions = Readonly<{
  /** Reads on in a partition of derived, and returns the offset where it ended. */
  readOn(partition: number, fromOffset: number): Promise<number>
  /**
   * Of the open questions that are due, one about a live burst, the newest: it must not wait behind a backfill. Else the
   * oldest: what is known of a burst is held against the bursts before it, as far as they were known.
   */
  next(isDue?: (question: Question) => boolean): Question | undefined
  /** Every partition of derived was read past an instant of the chain: whatever is asked about bursts before it is known. */
  isReadUntil(blockAtMs: number): boolean
  close(question: Question): void
}>

type Options = Readonly<{ log: Log; codecs: Pick<IngestCodecs, 'facts' | 'derived'>; nowMs: () => number }>

/** An answer is written some time after its question became known, by another clock. */
const answerKeptMs = 3_600_000

/**
 * Opens with nothing read but the answers given in the last `ageMsMax`, by the ticks' time; `startOffsets` say where the
 * questions since then begin in each partition of derived. What it remembers of answers is bounded likewise: it forgets one
 * when a restart would read neither it nor its question.
 */
export async function readOpenQuestions(
  { log, codecs, nowMs }: Options,
  { partitionCount, ageMsMax }: Readonly<{ partitionCount: number; ageMsMax: number }>,
): Promise<Readonly<{ questions: OpenQuestions; startOffsets: readonly number[] }>> {
  const sinceMs = nowMs() - ageMsMax
  /** When each was. */
  const answered = new Map<string, number>()
  const open = new Map<string, Question>()
  const startOffsets: number[] = []
  const readUntilMs = Array.from({ length: partitionCount }, () => Number.NEGATIVE_INFINITY)
  const derivedReader = (partition: number): TypedPartition => ({
    log,
    topic: 'chain-a-derived',
    partition,
    codec: codecs.derived,
  })
  for (let partition = 0; partition < partitionCount; partition++) {
    const facts = { log, topic: 'chain-a-facts', partition, codec: codecs.facts } as const
    await scan(facts, await offsetKnownAt(facts, sinceMs), ({ value }) => {
      for (const type of questionTypes) {
        const answer = dataOf<ChainAAnswer['data']>(facts, answerTypes[type], value)
        if (answer) answered.set(idOf(type, answer), answer.answeredAtMs)
      }
      return undefined
    })
    startOffsets.push(await offsetKnownAt(derivedReader(partition), sinceMs))
  }

  /** Asked again after a revert it is a new question: the stage has forgotten the answer that came before. */
  const forget = ({ recordType, pool, tier, atMs }: Withdrawn) => {
    const prefix = `${recordType}:${pool}:${tier}:${atMs}#`
    for (const id of [...answered.keys(), ...open.keys()]) {
      if (!id.startsWith(prefix)) continue
      answered.delete(id)
      open.delete(id)
    }
  }

  const questions: OpenQuestions = {
    readOn: (partition, fromOffset) => {
      const derived = derivedReader(partition)
      return scan(derived, fromOffset, ({ key, value }) => {
        const tick = dataOf<Tick>(derived, 'Tick', value)
        if (tick) readUntilMs[partition] = Math.max(readUntilMs[partition] ?? 0, tick.blockAtMs)
        const withdrawn = dataOf<Withdrawn>(derived, 'Withdrawn', value)
        if (withdrawn && isQuestionType(withdrawn.recordType)) forget(withdrawn)
        const question = questionOf(derived, { token: key, value, seenAtMs: nowMs() })
        const id = question && idOf(question.type, question.asked)
        if (id && !answered.has(id)) open.set(id, question)
        return undefined
      })
    },
    next: (isDue = () => true) => {
      const atMs = nowMs()
      let next: Question | undefined
      for (const question of open.values())
        if ((!next || comesBefore(question, next, atMs)) && isDue(question)) next = question
      return next
    },
    isReadUntil: (blockAtMs) => readUntilMs.every((untilMs) => untilMs >= blockAtMs),
    close: ({ type, asked }) => {
      open.delete(idOf(type, asked))
      answered.set(idOf(type, asked), nowMs())
      const keptFromMs = nowMs() - ageMsMax - answerKeptMs
      for (const [id, answeredAtMs] of answered) if (answeredAtMs < keptFromMs) answered.delete(id)
    },
  }
  return { questions, startOffsets }
}

type Seen = Readonly<{ token: string; value: Buffer | null; seenAtMs: number }>

/** Null: it is no question. */
function questionOf(derived: TypedPartition, { token, value, seenAtMs }: Seen): Question | null {
  const type = value && derived.codec.typeOf(value)
  if (!isQuestionType(type)) return null
  const asked = dataOf<Question['asked']>(derived, type, value)
  // The type says which of the two it is.
  return { partition: derived.partition, token, type, asked, seenAtMs } as Question
}

function comesBefore({ asked: one }: Question, { asked: other }: Question, nowMs: number): boolean {
  const isOld = isBackfilled(one, nowMs)
  if (isOld !== isBackfilled(other, nowMs)) return !isOld
  return isOld ? one.atMs < other.atMs : one.atMs > other.atMs
}
