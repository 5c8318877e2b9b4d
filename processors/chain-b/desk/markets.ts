/** What happens on the markets of a mint: prices, and the end of its curve. Nobody can pull the liquidity of its pool. */
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import type { Move } from '../../desk/moves.ts'
import type { DeskMarkets } from '../../desk/processor.ts'
import { completes } from '../mints/mint.ts'
import { type ChainBPrices, chainBPrices } from '../prices.ts'

const nothing: readonly Move[] = []

export const chainBDeskMarkets: DeskMarkets<ChainBPrices, ChainBTypes> = {
  reads: [...chainBPrices.reads, 'CurveCompleted'],
  readsDerived: [...chainBPrices.readsDerived, 'Burst'],
  initialState: chainBPrices.initialState,
  onFact(prices, fact) {
    const moves = priceMoves(prices, fact)
    if (prices.mint === null || !completes(fact)) return moves
    return [...moves, { type: 'graduated', market: prices.mint.curve, atMs: fact.data.blockAtMs }]
  },
  /** The pool, if it has migrated, and the curve before it. */
  onDerived(prices, record) {
    if (record.type !== 'MintClosed') return nothing
    const curves = prices.mint === null ? [] : [prices.mint.curve]
    const markets = new Set([...(chainBPrices.onDerived(prices, record)?.markets ?? []), ...curves])
    return [...markets].map((market) => ({ type: 'closed', market, atMs: record.data.closedAtMs }))
  },
  isEmpty: chainBPrices.isEmpty,
  deepest: chainBPrices.deepest,
  burstOf({ mint }, record) {
    if (record.type !== 'Burst' || mint === null) return null
    return { market: mint.curve, atMs: record.data.atMs, tier: null, shape: null, fill: record.data.fillAt }
  },
}

function priceMoves(prices: ChainBPrices, fact: ChainBFact): readonly Move[] {
  const market = chainBPrices.onFact(prices, fact)
  const px = market && chainBPrices.pxOf(prices, market)
  return market === null || px === null ? nothing : [{ type: 'price', market, atMs: fact.data.blockAtMs, px }]
}
