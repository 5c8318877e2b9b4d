/** The stage of chain B: its topics, slots and rows. `processors/stages.ts` lists its processors. */
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
  // The key of a row begins with its mint, type and instant. Several copied buys or gaps can share these, so the transaction and the log
  // index are added. Other rows can have a `name`: scores of calls, rows of the desk, and rug checks.
  rowNameOf: ({ txHash, logIndex, name }) => (txHash === null ? name : `${txHash} ${logIndex}`),
  movableTypes: ['Burst', 'Graduation', 'CopyOpened'],
}
