/** One position, from its fill to its exit. */
import type { DeskExit, DeskOpened, DeskTrade } from '../../schemas/desk/derived.ts'
import type { LaneExit } from '../../schemas/desk/rules.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { isPulled } from '../markets/move.ts'
import type { TradableMarket } from './tradable-market.ts'

export type OpenTrade = {
  readonly market: DeskOpened['market']
  readonly openedAtMs: EpochMs
  readonly entryPx: number
  /** The remaining share of the liquidity at the fill. */
  readonly entryLeft: number
  lastPx: number
  highPx: number
}

/** A closed position, in the fields of its record. */
export type Closed = Pick<DeskTrade, 'openedAtMs' | 'closedAtMs' | 'market' | 'ret' | 'peakRet' | 'exit'>

type Fill = Pick<OpenTrade, 'market' | 'openedAtMs'>

/**
 * Lists every field, because this object changes at every trade. In an object from a spread, V8 allocates memory whenever a number changes.
 */
export const openTrade = ({ market, openedAtMs }: Fill, { px, left }: TradableMarket): OpenTrade => ({
  market,
  openedAtMs,
  entryPx: px,
  entryLeft: left,
  lastPx: px,
  highPx: px,
})

export const timeOutAtMs = ({ openedAtMs }: Pick<OpenTrade, 'openedAtMs'>, { timeMs }: LaneExit): EpochMs =>
  openedAtMs + timeMs

/** Applies the liquidity after a move. Returns `rug` if the liquidity was pulled, else null. */
export function judgeLeft(
  position: OpenTrade,
  { left }: Pick<TradableMarket, 'left'>,
  leftMax: number,
): DeskExit | null {
  if (!isPulled(position.entryLeft, left, leftMax)) return null
  position.lastPx = 0
  return 'rug'
}

/** Applies the price after a move. Returns the reason to exit, or null if there is none. */
export function judgePx(position: OpenTrade, { px }: Pick<TradableMarket, 'px'>, exit: LaneExit): DeskExit | null {
  position.lastPx = px
  if (px > position.highPx) position.highPx = px
  const { entryPx, highPx } = position
  if (px <= exit.stopRatio * entryPx) return 'stop'
  if (highPx >= exit.trailFromRatio * entryPx && px <= exit.trailRatio * highPx) return 'trail'
  return px >= exit.takeProfitRatio * entryPx ? 'take_profit' : null
}

type Leaving = Readonly<{ atMs: EpochMs; why: DeskExit; costRatio: number }>

/** Closes the position at the price of the last move. */
export const closeTrade = (position: OpenTrade, { atMs, why, costRatio }: Leaving): Closed => {
  const { openedAtMs, market, entryPx, lastPx, highPx } = position
  const ret = lastPx / entryPx - 1 - costRatio
  const peakRet = highPx / entryPx - 1 - costRatio
  return { openedAtMs, closedAtMs: atMs, market, ret, peakRet, exit: why }
}
