import type { ChainAFact } from '../../schemas/chain-a/facts.ts'

type Placed = Readonly<{ data: Pick<ChainAFact['data'], 'blockHash' | 'logIndex'> }>

/** The id of a fact: the block hash and the index of its EVM log. A `CurveFound` has the index of the EVM log that caused its lookup. */
export const factIdOf = ({ data: { blockHash, logIndex } }: Placed): string => `${blockHash}:${logIndex}`

/** The sort key of a fact within its block. A `CurveFound` comes right before the fact of the EVM log that caused its lookup. */
export const orderInBlock = ({ type, data: { logIndex } }: ChainAFact): number =>
  type === 'CurveFound' ? logIndex - 0.5 : logIndex
