/** Checks the trades of a mint against the formulas of the program. */
import type { MintFact } from '../../../../ingest/chain-b/types.ts'
import {
  beforeTrade,
  costOfTokens,
  proceedsOfTokens,
  type Reserves,
  tokensForCost,
} from '../../../../schemas/chain-b/curve.ts'
import type { CurveTraded, PoolTraded } from '../../../../schemas/chain-b/facts.ts'
import { beforePoolTrade, costInPool, proceedsInPool } from '../../../../schemas/chain-b/pool.ts'
import type { Hex } from '../../../../schemas/units.ts'

type Fact = MintFact['fact']

export const tradesOf = (tape: readonly Fact[]): readonly CurveTraded[] =>
  tape.flatMap(({ type, data }) => (type === 'CurveTraded' ? [data] : []))
export const poolTradesOf = (tape: readonly Fact[]): readonly PoolTraded[] =>
  tape.flatMap(({ type, data }) => (type === 'PoolTraded' ? [data] : []))

/** Returns the formula that gives the trade, or null if no formula does. */
export function formulaOf(trade: CurveTraded): 'tokens' | 'exact' | 'sale' | null {
  const { quoteRaw, tokenRaw } = trade
  const before = beforeTrade(trade)
  if (tokenRaw < 0n) return -quoteRaw === proceedsOfTokens(before, -tokenRaw) ? 'sale' : null
  if (tokenRaw > 0n && quoteRaw === costOfTokens(before, tokenRaw)) return 'tokens'
  return tokenRaw > 0n && tokenRaw === tokensForCost(before, quoteRaw) ? 'exact' : null
}

export function obeysPool(trade: PoolTraded): boolean {
  const { quoteRaw, tokenRaw } = trade
  const before = beforePoolTrade(trade)
  return tokenRaw > 0n
    ? quoteRaw === costInPool(before, tokenRaw)
    : tokenRaw < 0n && -quoteRaw === proceedsInPool(before, -tokenRaw)
}

export const isSame = (left: Reserves, right: Reserves): boolean =>
  left.quoteRaw === right.quoteRaw && left.tokenRaw === right.tokenRaw

/** Returns the tokens that each trader has bought and not sold. */
export function boughtOf(tape: readonly Fact[]): ReadonlyMap<Hex, bigint> {
  const bought = new Map<Hex, bigint>()
  for (const { type, data } of tape)
    if (type === 'CurveTraded' || type === 'PoolTraded')
      bought.set(data.trader, (bought.get(data.trader) ?? 0n) + data.tokenRaw)
  return bought
}
