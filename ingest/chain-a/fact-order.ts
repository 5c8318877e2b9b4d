import type { ChainAFact } from '../../schemas/chain-a/facts.ts'

type Placed = Readonly<{ data: Pick<ChainAFact['data'], 'blockHash' | 'logIndex'> }>

/** The id of a fact on its chain: block hash and log index. A CurveFound has the id of the log that it was made for. */
export const factIdOf = ({ data: { blockHash, logIndex } }: Placed): string => `${blockHash}:${logIndex}`

/** The sort key within a block. A CurveFound comes just before the log that it was made for. */
export const orderInBlock = ({ type, data: { logIndex } }: ChainAFact): number =>
  type === 'CurveFound' ? logIndex - 0.5 : logIndex
