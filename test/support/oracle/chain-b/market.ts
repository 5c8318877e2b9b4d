/** Lists all changes of a mint's price, on its curve and in its pool, in the order of the log. */
import type { ChainBFact, PoolTraded } from '../../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { priceOf, type Reserves } from './formulas.ts'
import type { MintStory } from './stories.ts'

/** A change of the price. `trade` is null for the migration, which changes the price without a trade. */
export type Move = Readonly<{
  order: number
  slot: number
  atMs: number
  isInPool: boolean
  reserves: Reserves
  px: number
  /** The tokens left on the curve. */
  leftRaw: bigint
  trade: Trade | null
}>

export type Trade = Readonly<{
  trader: Hex
  txHash: Hex
  logIndex: number
  /** Negative for a sale. */
  quoteRaw: bigint
  tokenRaw: bigint
  /** The amount of each kind of fee. */
  fees: readonly bigint[]
}>

export function movesOf({ facts, migration, poolTrades }: MintStory): readonly Move[] {
  const inPool = new Set<ChainBFact['data']>(poolTrades)
  return facts.flatMap(({ type, data }, order): readonly Move[] => {
    const place = { order, slot: data.blockNumber, atMs: data.blockAtMs }
    if (type === 'CurveTraded') {
      const reserves = { quoteRaw: data.virtualQuoteRaw, tokenRaw: data.virtualTokenRaw }
      const trade = { ...data, fees: [data.feeRaw, data.creatorFeeRaw, data.rewardsRaw] }
      return [{ ...place, isInPool: false, leftRaw: data.realTokenRaw, reserves, px: priceOf(reserves), trade }]
    }
    const isOfPool = data === migration || inPool.has(data)
    if (!isOfPool || (type !== 'CurveMigrated' && type !== 'PoolTraded')) return []
    const reserves = { quoteRaw: data.poolQuoteRaw, tokenRaw: data.poolTokenRaw }
    const feesOf = (trade: PoolTraded) => [trade.feeRaw, trade.creatorFeeRaw, trade.rewardsRaw, trade.lpFeeRaw]
    const trade = type === 'PoolTraded' ? { ...data, fees: feesOf(data) } : null
    return [{ ...place, isInPool: true, leftRaw: 0n, reserves, px: priceOf(reserves), trade }]
  })
}
