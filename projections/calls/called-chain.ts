/**
 * A chain whose tokens are named in chat posts (called), with everything that the queries about calls need to
 * know about the chain.
 */
import type { Stage } from '../../schemas/stage.ts'
import type { CoinOf } from '../trade-gaps/missing-trades.ts'
import type { TradeGapTable } from '../trade-gaps/trade-gap-table.ts'

export type CalledChain = Readonly<{
  stage: Stage
  /** Whether an address has the format of this chain’s tokens. No address has the format of two chains. */
  isToken(address: string): boolean
  /** Whether the chain has precalls: records of the trades before a call. */
  hasPrecalls: boolean
  /**
   * The table of the gaps in the chain’s recorded trades, and the conversion from units of the chain's coin
   * to ETH or SOL.
   */
  gaps: Readonly<{ table: TradeGapTable; coinOf: CoinOf }>
}>

/** The chain whose tokens have the format of this address, if any. */
export const chainOfToken = <Of extends Pick<CalledChain, 'isToken'>>(
  chains: readonly Of[],
  token: string,
): Of | undefined => chains.find(({ isToken }) => isToken(token))
