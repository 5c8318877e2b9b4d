/** A chain whose tokens are called, as the tables have it: what differs between chains, as values. */
import type { Stage } from '../../schemas/stage.ts'
import type { CoinOf } from '../trade-gaps/missing-trades.ts'
import type { TradeGapTable } from '../trade-gaps/trade-gap-table.ts'

export type CalledChain = Readonly<{
  stage: Stage
  /** Whether an address is written as this chain writes its tokens. No address is of two chains. */
  isToken(address: string): boolean
  /** Whether the chain tells what happened before a call. */
  hasPrecalls: boolean
  /** The trades of the chain that are missing in the log, and units of its coin to ETH or SOL. */
  gaps: Readonly<{ table: TradeGapTable; coinOf: CoinOf }>
}>

/** Undefined: none of them has such tokens. */
export const chainOfToken = <Of extends Pick<CalledChain, 'isToken'>>(
  chains: readonly Of[],
  token: string,
): Of | undefined => chains.find(({ isToken }) => isToken(token))
