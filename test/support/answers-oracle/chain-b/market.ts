/** All that moves a mint's price, on its curve and in its pool, in the order of the log. */
import type { Hex } from '../../../../schemas/units.ts'
import { priceOf, type Reserves } from './formulas.ts'
import type { MintStory } from './known.ts'

/** `quoteRaw` and `tokenRaw` are null for the migration, which is no trade. */
export type Move = Readonly<{
  order: number
  slot: number
  atMs: number
  isInPool: boolean
  reserves: Reserves
  px: number
  /** Left on the curve. */
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
  /** Each kind by itself. */
  fees: readonly bigint[]
}>

export function movesOf({ trades, migration, poolTrades }: MintStory): readonly Move[] {
  const moves: Move[] = []
  const add = (move: Omit<Move, 'px' | 'slot' | 'atMs'>, place: Readonly<{ blockNumber: number; blockAtMs: number }>) =>
    moves.push({ ...move, px: priceOf(move.reserves), slot: place.blockNumber, atMs: place.blockAtMs })
  for (const trade of trades) {
    const { order, virtualQuoteRaw: quoteRaw, virtualTokenRaw: tokenRaw, realTokenRaw: leftRaw } = trade
    const fees = [trade.feeRaw, trade.creatorFeeRaw, trade.rewardsRaw]
    add({ order, isInPool: false, leftRaw, reserves: { quoteRaw, tokenRaw }, trade: { ...trade, fees } }, trade)
  }
  if (migration !== null) {
    const reserves = { quoteRaw: migration.poolQuoteRaw, tokenRaw: migration.poolTokenRaw }
    add({ order: migration.order, isInPool: true, leftRaw: 0n, reserves, trade: null }, migration)
  }
  for (const trade of poolTrades) {
    const { order, poolQuoteRaw: quoteRaw, poolTokenRaw: tokenRaw } = trade
    const fees = [trade.feeRaw, trade.creatorFeeRaw, trade.rewardsRaw, trade.lpFeeRaw]
    add({ order, isInPool: true, leftRaw: 0n, reserves: { quoteRaw, tokenRaw }, trade: { ...trade, fees } }, trade)
  }
  return moves.sort((one, other) => one.order - other.order)
}
