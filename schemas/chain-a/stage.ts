/**
 * The stage of chain A: its topics, its blocks and its rows. The processors of the stage are listed in
 * `processors/stages.ts`.
 */
import { chainBlocks, type Stage } from '../stage.ts'
import { topics } from '../topics.ts'
import { type ChainADerived, type RowKey, rowKeyOf } from './derived.ts'
import { type ChainAAnswer, type ChainAFact, isAnswer } from './facts.ts'
import { rulesVersion } from './rules.ts'

export type ChainATypes = Readonly<{ fact: ChainAFact; answer: ChainAAnswer; derived: ChainADerived; key: RowKey }>

export const chainAStage: Stage<ChainATypes> = {
  name: 'chain-a',
  factTopic: topics['chain-a-facts'],
  derivedTopic: topics['chain-a-derived'],
  rulesVersion,
  isAnswer,
  ...chainBlocks,
  rowKeyOf,
  // Makes the name of a row from the pool and the tier. Names sort by pool, then by tier, because a space
  // sorts before every character of an address.
  rowNameOf: ({ pool, tier, name }) => (name === '' ? `${pool} ${tier ?? ''}` : name),
  movableTypes: ['Burst'],
}
