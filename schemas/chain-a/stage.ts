/** The stage of chain A: its topics, blocks and rows. `processors/stages.ts` lists its processors. */
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
  // A space sorts before every character of an address, so the names sort by pool, then by tier.
  rowNameOf: ({ pool, tier, name }) => (name === '' ? `${pool} ${tier ?? ''}` : name),
  movableTypes: ['Burst'],
}
