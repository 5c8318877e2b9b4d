/** The test market on a chain with reorgs, its questions answered as a lookup would. */
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA } from '../../processors/stages.ts'
import { isAnswer } from '../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../schemas/chain-a/stage.ts'
import type { KeyedRecord } from './keyed-record.ts'
import { drive, lastRows, livingOf } from './living-log.ts'
import { answerTo, marketFacts, type Question, questionsIn } from './market-facts.ts'
import { type ReorgPlan, withReorgs } from './with-reorgs.ts'

/** One partition's log; each question is answered three ticks after it was first asked. */
export function reorgedMarket(seed: number, plans: readonly ReorgPlan[], tokenCount = 2): KeyedRecord<ChainATypes>[] {
  const base = marketFacts(seed, tokenCount).filter(({ record }) => !isAnswer(record))
  return answered(withReorgs(chainAStage, base, plans))
}

/** With the answers of a lookup that answers each question of a revision once, and again when it was withdrawn meanwhile. */
function answered(records: readonly KeyedRecord<ChainATypes>[]): KeyedRecord<ChainATypes>[] {
  const log: KeyedRecord<ChainATypes>[] = []
  const due = new Map<number, KeyedRecord<ChainATypes>[]>()
  let asked = new Set<string>()
  let driver = createTestDriver(chainA)
  const ask = (questions: readonly Question[], seq: number) => {
    for (const question of questions) {
      if (asked.has(nameOf(question))) continue
      asked.add(nameOf(question))
      due.set(seq + 3, [...(due.get(seq + 3) ?? []), answerTo(question)])
    }
  }
  for (const keyed of records) {
    const { record } = keyed
    if (record.type !== 'Tick') {
      log.push(keyed)
      drive(chainAStage, driver, [keyed])
      continue
    }
    const { seq, revertedFrom } = record.data
    log.push(...(due.get(seq) ?? []), keyed)
    if (revertedFrom === null) {
      ask(questionsIn(drive(chainAStage, driver, [keyed])), seq)
      continue
    }
    driver = createTestDriver(chainA)
    const questions = questionsIn(lastRows(chainAStage, drive(chainAStage, driver, livingOf(chainAStage, log))))
    const names = new Set(questions.map(nameOf))
    asked = new Set([...asked].filter((name) => names.has(name)))
    ask(questions, seq)
  }
  return log
}

const nameOf = ({ asked }: Question): string => `${asked.type} ${asked.data.questionId}#${asked.data.revision}`
