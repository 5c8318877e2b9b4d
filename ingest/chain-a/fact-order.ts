import type { ChainAFact } from '../../schemas/chain-a/facts.ts'

type Placed = Readonly<{ data: Pick<ChainAFact['data'], 'blockHash' | 'logIndex'> }>

/** The chain's own name of a fact's log. A CurveFound has that of the log which it was made for. */
export const factIdOf = ({ data: { blockHash, logIndex } }: Placed): string => `${blockHash}:${logIndex}`

/** A CurveFound stands just before the log which it was made for. */
export const orderInBlock = ({ type, data: { logIndex } }: ChainAFact): number =>
  type === 'CurveFound' ? logIndex - 0.5 : logIndex
