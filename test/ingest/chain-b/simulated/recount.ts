/** Recounts a mint's facts: each trade by the formulas, and the bursts in plain loops, sharing nothing with the processors. */
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

/** How the curve's formula explains the trade. Null: not at all. */
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

const saleRaw = 793_100_000_000_000n

/** The instants at which bursts of the mint fire. Looks at each slot that holds a trade. */
export function recountBursts(tape: readonly Fact[], againMs: number): readonly number[] {
  const launched = tape.find(({ type }) => type === 'CurveLaunched')
  if (launched?.type !== 'CurveLaunched' || launched.data.quoteMint !== null) return []
  const trades = tradesOf(tape)
  const fired: number[] = []
  for (const [index, { blockAtMs: atMs, blockNumber, realTokenRaw }] of trades.entries()) {
    const ageMs = atMs - launched.data.blockAtMs
    const sold = saleRaw - realTokenRaw
    if (trades[index + 1]?.blockNumber === blockNumber || ageMs < 300_000 || ageMs > 14_400_000) continue
    if (sold * 100n < saleRaw * 25n || sold * 100n > saleRaw * 55n) continue
    const window = lastOf(trades, index, atMs - 60_000)
    const late = lastOf(trades, index, atMs - 15_000)
    const isStillBuying = late.some(({ quoteRaw }) => quoteRaw > 0n) && netOf(late) > 0n
    const isFree = atMs > (fired.at(-1) ?? 0) + againMs
    if (isStillBuying && isFree && netOf(window) >= 10_000_000_000n) fired.push(atMs)
  }
  return fired
}

function lastOf(trades: readonly CurveTraded[], index: number, afterMs: number): readonly CurveTraded[] {
  let first = index
  while ((trades[first - 1]?.blockAtMs ?? 0) > afterMs) first--
  return trades.slice(first, index + 1)
}

const netOf = (trades: readonly CurveTraded[]): bigint => trades.reduce((sum, { quoteRaw }) => sum + quoteRaw, 0n)

/** What each trader has bought and not sold. */
export function boughtOf(tape: readonly Fact[]): ReadonlyMap<Hex, bigint> {
  const bought = new Map<Hex, bigint>()
  for (const { type, data } of tape)
    if (type === 'CurveTraded' || type === 'PoolTraded')
      bought.set(data.trader, (bought.get(data.trader) ?? 0n) + data.tokenRaw)
  return bought
}
