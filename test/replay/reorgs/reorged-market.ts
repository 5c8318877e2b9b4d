/** Builds simulated trades on a chain with reorgs, with answers to the lookup requests of the stage. */
import { chainA } from '../../../processors/stages.ts'
import { isAnswer } from '../../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../../schemas/chain-a/stage.ts'
import { answeredLog } from '../answered-log.ts'
import type { KeyedRecord } from '../keyed-record.ts'
import { answerTo, marketFacts, type Question, questionsIn } from '../market/market-facts.ts'
import { type ReorgPlan, withReorgs } from './with-reorgs.ts'

/**
 * Builds the log of one partition with posts. Each lookup request is answered three ticks after it was first
 * made.
 */
export function reorgedMarket(seed: number, plans: readonly ReorgPlan[], tokenCount = 2): KeyedRecord<ChainATypes>[] {
  const base = marketFacts(seed, tokenCount, { hasPosts: true }).filter(
    ({ record }) => record.type === 'Mentioned' || !isAnswer(record),
  )
  const nameOf = ({ asked }: Question): string => `${asked.type} ${asked.data.questionId}#${asked.data.revision}`
  return answeredLog(chainA, withReorgs(chainAStage, base, plans), { questionsIn, nameOf, answerTo })
}
