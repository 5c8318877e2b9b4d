/** The stage of chain B: its topics, slots and rows. `processors/stages.ts` lists its processors. */
import { chainBlocks, type Stage } from '../stage.ts'
import { topics } from '../topics.ts'
import { type ChainBDerived, type RowKey, rowKeyOf } from './derived.ts'
import { type ChainBAnswer, type ChainBFact, isAnswer } from './facts.ts'
import { rulesVersion } from './rules.ts'

/** The record types of chain B. */
export type ChainBTypes = Readonly<{ fact: ChainBFact; answer: ChainBAnswer; derived: ChainBDerived; key: RowKey }>

export const chainBStage: Stage<ChainBTypes> = {
  name: 'chain-b',
  factTopic: topics['chain-b-facts'],
  derivedTopic: topics['chain-b-derived'],
  rulesVersion,
  isAnswer,
  ...chainBlocks,
  rowKeyOf,
  // A mint has one curve, so type and instant identify a row, except for copied buys, calls and the desk.
  rowNameOf: ({ txHash, logIndex, name }) => (txHash === null ? name : `${txHash} ${logIndex}`),
  movableTypes: ['Burst', 'Graduation', 'CopyOpened'],
}
