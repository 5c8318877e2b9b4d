/**
 * Adds the answers of a lookup to a log. Each lookup request gets only one answer, unless a reorg withdrew
 * the request.
 */
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import type { TokenOutput } from '../../processors/runtime/token-entry.ts'
import type { WalkDependencies } from '../../processors/runtime/walk.ts'
import { isTick, type StageTypes } from '../../schemas/stage.ts'
import { drive, lastRows, livingOf } from './canonical-log.ts'
import type { KeyedRecord } from './keyed-record.ts'

/** A lookup for tests: the requests in the records of a stage, and their answers. */
export type TestLookup<Types extends StageTypes, Question> = Readonly<{
  questionsIn(outputs: Iterable<TokenOutput<Types['derived']>>): Question[]
  nameOf(question: Question): string
  answerTo(question: Question): KeyedRecord<Types>
}>

/**
 * Returns the records with an answer to each lookup request. The answer comes three ticks after the first
 * request.
 */
export function answeredLog<Types extends StageTypes, Question>(
  dependencies: WalkDependencies<Types>,
  records: readonly KeyedRecord<Types>[],
  { questionsIn, nameOf, answerTo }: TestLookup<Types, Question>,
): KeyedRecord<Types>[] {
  const { stage } = dependencies
  const log: KeyedRecord<Types>[] = []
  const due = new Map<number, KeyedRecord<Types>[]>()
  let asked = new Set<string>()
  let driver = createTestDriver(dependencies)
  const ask = (questions: readonly Question[], seq: number) => {
    for (const question of questions) {
      if (asked.has(nameOf(question))) continue
      asked.add(nameOf(question))
      due.set(seq + 3, [...(due.get(seq + 3) ?? []), answerTo(question)])
    }
  }
  for (const keyed of records) {
    const { record } = keyed
    if (!isTick(record)) {
      log.push(keyed)
      drive(stage, driver, [keyed])
      continue
    }
    const { seq, revertedFrom } = record.data
    log.push(...(due.get(seq) ?? []), keyed)
    if (revertedFrom === null) {
      ask(questionsIn(drive(stage, driver, [keyed])), seq)
      continue
    }
    driver = createTestDriver(dependencies)
    const questions = questionsIn(lastRows(stage, drive(stage, driver, livingOf(stage, log))))
    const names = new Set(questions.map(nameOf))
    asked = new Set([...asked].filter((name) => names.has(name)))
    ask(questions, seq)
  }
  return log
}
