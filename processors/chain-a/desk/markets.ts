/** What happens on the markets of a token: prices, pulls of liquidity, and the end of curves and pools. */

import type { ChainAFact, LiquidityChanged } from '../../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { Move } from '../../desk/moves.ts'
import type { DeskMarkets } from '../../desk/processor.ts'
import { liquidityEth } from '../pools/positions.ts'
import { type ChainAPrices, chainAPrices } from '../prices.ts'

/** A transaction that is changing the liquidity of a pool, from its first change on. */
type Pulling = Readonly<{ pool: Hex; txHash: Hex; atMs: number; sqrtPriceX96: bigint; ethBefore: number }>

export type ChainADeskMarkets = { readonly prices: ChainAPrices; pulling: Pulling[] }

const nothing: readonly Move[] = []

export const chainADeskMarkets: DeskMarkets<ChainADeskMarkets, ChainATypes> = {
  reads: [...chainAPrices.reads, 'CurveCompleted', 'CurveGraduated'],
  readsDerived: [...chainAPrices.readsDerived, 'Burst'],
  initialState: () => ({ prices: chainAPrices.initialState(), pulling: [] }),
  onFact(state, fact) {
    const pulls = state.pulling.length === 0 ? nothing : settlePulls(state, fact.data.txHash)
    if (fact.type === 'LiquidityChanged') beginPull(state, fact.data)
    const moves = movesOf(state, fact)
    return pulls.length === 0 ? moves : [...pulls, ...moves]
  },
  onBlockEnd: (state) => (state.pulling.length === 0 ? nothing : settlePulls(state, null)),
  onDerived(state, record) {
    const closing = chainAPrices.onDerived(state.prices, record)
    return closing?.markets.map((market) => ({ type: 'closed', market, atMs: closing.closedAtMs })) ?? nothing
  },
  isEmpty: ({ prices }) => chainAPrices.isEmpty(prices),
  deepest: ({ prices }) => chainAPrices.deepest(prices),
  burstOf(_, record) {
    if (record.type !== 'Burst') return null
    const { pool: market, atMs, tier, shape } = record.data
    return { market, atMs, tier, shape, fill: null }
  },
}

function movesOf({ prices }: ChainADeskMarkets, fact: ChainAFact): readonly Move[] {
  const { blockAtMs: atMs } = fact.data
  if (fact.type === 'CurveCompleted' || fact.type === 'CurveGraduated')
    return [{ type: 'graduated', market: fact.data.curve, atMs }]
  const market = chainAPrices.onFact(prices, fact)
  const px = market && chainAPrices.pxOf(prices, market)
  return market === null || px === null ? nothing : [{ type: 'price', market, atMs, px }]
}

const poolOf = ({ prices }: ChainADeskMarkets, pool: Hex) => prices.pools.find(({ identity }) => identity.pool === pool)

/** The price is that after the last counted swap before the transaction’s first change; fee collections change nothing. */
function beginPull(
  state: ChainADeskMarkets,
  { pool, txHash, blockAtMs: atMs, liquidityDelta }: LiquidityChanged,
): void {
  const priced = poolOf(state, pool)
  if (liquidityDelta === 0n || !priced || priced.sqrtPriceX96 === null) return
  if (state.pulling.some((pulling) => pulling.pool === pool)) return
  const { positions, sqrtPriceX96, identity } = priced
  const ethBefore = liquidityEth(positions, sqrtPriceX96, identity.ethIsCurrency0)
  state.pulling.push({ pool, txHash, atMs, sqrtPriceX96, ethBefore })
}

/** Ends transactions, which only what comes after them shows: all but the current one. Null: there is none. */
function settlePulls(state: ChainADeskMarkets, currentTxHash: Hex | null): readonly Move[] {
  const over = state.pulling.filter(({ txHash }) => txHash !== currentTxHash)
  if (over.length === 0) return nothing
  state.pulling = state.pulling.filter(({ txHash }) => txHash === currentTxHash)
  return over.flatMap((pulling): readonly Move[] => {
    const { pool: market, atMs, sqrtPriceX96, ethBefore } = pulling
    const priced = poolOf(state, market)
    if (!priced || ethBefore <= 0) return nothing
    const ethAfter = liquidityEth(priced.positions, sqrtPriceX96, priced.identity.ethIsCurrency0)
    return [{ type: 'pull', market, atMs, ratio: ethAfter / ethBefore }]
  })
}
