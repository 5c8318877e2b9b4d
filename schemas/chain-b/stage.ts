/**
 * The stage of chain B: its topics, its slots and its rows. The processors of the stage are listed in
 * `processors/stages.ts`.
 */
import { chainBlocks, type Stage } from '../stage.ts'
import { topics } from '../topics.ts'
import { type ChainBDerived, type RowKey, rowKeyOf } from './derived.ts'
import { type ChainBAnswer, type ChainBFact, isAnswer } from './facts.ts'
import { rulesVersion } from './rules.ts'

export type ChainBTypes = Readonly<{ fact: ChainBFact; answer: ChainBAnswer; derived: ChainBDerived; key: RowKey }>

export const chainBStage: Stage<ChainBTypes> = {
  name: 'chain-b',
  factTopic: topics['chain-b-facts'],
  derivedTopic: topics['chain-b-derived'],
  rulesVersion,
  isAnswer,
  ...chainBlocks,
  rowKeyOf,
  // Returns the part of the row key that follows the mint, the type and the time. Several copied buys or gaps
  // can have the same mint, type and time, so the transaction and the log index are added. Scores of calls,
  // rows of the paper desk and rug checks have a `name` instead.
  rowNameOf: ({ txHash, logIndex, name }) => (txHash === null ? name : `${txHash} ${logIndex}`),
  movableTypes: ['Burst', 'Graduation', 'CopyOpened'],
}
