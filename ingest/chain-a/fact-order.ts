import type { ChainAFact } from '../../schemas/chain-a/facts.ts'

type Placed = Readonly<{ data: Pick<ChainAFact['data'], 'blockHash' | 'logIndex'> }>

/**
 * The id of a fact on its chain: block hash and log index. A `CurveFound` has the id of the log that caused its lookup.
 */
export const factIdOf = ({ data: { blockHash, logIndex } }: Placed): string => `${blockHash}:${logIndex}`

/**
 * The sort key of a fact within its block. A `CurveFound` comes just before the fact of the log that caused its lookup.
 */
export const orderInBlock = ({ type, data: { logIndex } }: ChainAFact): number =>
  type === 'CurveFound' ? logIndex - 0.5 : logIndex
