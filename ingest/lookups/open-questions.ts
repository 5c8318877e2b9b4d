/** The questions in derived that have no answer in facts: the state of a lookup, which the log alone keeps. */

import type { Log } from '../../infra/log/log.ts'
import type { SendersAsked, Withdrawn } from '../../schemas/chain-a/derived.ts'
import type { SendersAnswered } from '../../schemas/chain-a/facts.ts'
import type { IngestCodecs } from '../codecs.ts'
import { dataOf, offsetKnownAt, type PartitionReader, scan } from '../read-log.ts'

export type Question = Readonly<{ partition: number; token: string; asked: SendersAsked; seenAtMs: number }>

export type OpenQuestions = Readonly<{
  /** Reads on in a partition of derived, and returns the offset where it ended. */
  readOn(partition: number, fromOffset: number): Promise<number>
  /** The open question of the newest burst: live ones must not wait behind a backfill. */
  newest(): Question | undefined
  close(question: Question): void
}>

type Options = Readonly<{ log: Log; codecs: Pick<IngestCodecs, 'facts' | 'derived'>; nowMs: () => number }>

/**
 * Opens with nothing read but the answers given since `sinceMs`, by the ticks' time; `startOffsets` say where the
 * questions since then begin in each partition of derived.
 */
export async function readOpenQuestions(
  { log, codecs, nowMs }: Options,
  { partitionCount, sinceMs }: Readonly<{ partitionCount: number; sinceMs: number }>,
): Promise<Readonly<{ questions: OpenQuestions; startOffsets: readonly number[] }>> {
  const answered = new Set<string>()
  const open = new Map<string, Question>()
  const startOffsets: number[] = []
  const derivedReader = (partition: number): PartitionReader => ({
    log,
    topic: 'chain-a-derived',
    partition,
    codec: codecs.derived,
  })
  for (let partition = 0; partition < partitionCount; partition++) {
    const facts = { log, topic: 'chain-a-facts', partition, codec: codecs.facts } as const
    await scan(facts, await offsetKnownAt(facts, sinceMs), ({ value }) => {
      const answer = dataOf<SendersAnswered>(facts, 'SendersAnswered', value)
      if (answer) answered.add(idOf(answer))
      return undefined
    })
    startOffsets.push(await offsetKnownAt(derivedReader(partition), sinceMs))
  }

  /** Asked again after a revert it is a new question: the stage has forgotten the answer that came before. */
  const forget = ({ pool, tier, atMs }: Withdrawn) => {
    const prefix = `${pool}:${tier}:${atMs}#`
    for (const id of [...answered, ...open.keys()]) {
      if (!id.startsWith(prefix)) continue
      answered.delete(id)
      open.delete(id)
    }
  }

  const questions: OpenQuestions = {
    readOn: (partition, fromOffset) => {
      const derived = derivedReader(partition)
      return scan(derived, fromOffset, ({ key, value }) => {
        const withdrawn = dataOf<Withdrawn>(derived, 'Withdrawn', value)
        if (withdrawn?.recordType === 'SendersAsked') forget(withdrawn)
        const asked = dataOf<SendersAsked>(derived, 'SendersAsked', value)
        if (asked && !answered.has(idOf(asked)))
          open.set(idOf(asked), { partition, token: key, asked, seenAtMs: nowMs() })
        return undefined
      })
    },
    newest: () => {
      let newest: Question | undefined
      for (const question of open.values()) if (!newest || question.asked.atMs > newest.asked.atMs) newest = question
      return newest
    },
    close: ({ asked }) => {
      open.delete(idOf(asked))
      answered.add(idOf(asked))
    },
  }
  return { questions, startOffsets }
}

const idOf = ({ questionId, revision }: Readonly<{ questionId: string; revision: number }>): string =>
  `${questionId}#${revision}`
