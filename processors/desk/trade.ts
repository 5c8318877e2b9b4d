/** One simulated position of the paper desk, from its purchase to its sale. */
import type { DeskExit, DeskOpened, DeskTrade } from '../../schemas/desk/derived.ts'
import type { LaneExit } from '../../schemas/desk/rules.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { isPulled } from '../markets/move.ts'
import type { TradableMarket } from './tradable-market.ts'

export type OpenTrade = {
  readonly market: DeskOpened['market']
  readonly openedAtMs: EpochMs
  readonly entryPx: number
  /** The remaining share of the market's liquidity when the position was opened. */
  readonly entryLeft: number
  lastPx: number
  highPx: number
}

/** The fields of a record that describe a closed position. */
export type Closed = Pick<DeskTrade, 'openedAtMs' | 'closedAtMs' | 'market' | 'ret' | 'peakRet' | 'exit'>

type Fill = Pick<OpenTrade, 'market' | 'openedAtMs'>

/**
 * Lists every field instead of using an object spread, because this object changes at every trade. For an
 * object from a spread, V8 allocates memory whenever a number changes.
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

/**
 * Checks the liquidity after a change of the market. Returns `rug` if the liquidity was removed, otherwise
 * null.
 */
export function judgeLeft(
  position: OpenTrade,
  { left }: Pick<TradableMarket, 'left'>,
  leftMax: number,
): DeskExit | null {
  if (!isPulled(position.entryLeft, left, leftMax)) return null
  position.lastPx = 0
  return 'rug'
}

/**
 * Takes in the price after a change of the market. Returns the reason to close the position, or null if there
 * is none.
 */
export function judgePx(position: OpenTrade, { px }: Pick<TradableMarket, 'px'>, exit: LaneExit): DeskExit | null {
  position.lastPx = px
  if (px > position.highPx) position.highPx = px
  const { entryPx, highPx } = position
  if (px <= exit.stopRatio * entryPx) return 'stop'
  if (highPx >= exit.trailFromRatio * entryPx && px <= exit.trailRatio * highPx) return 'trail'
  return px >= exit.takeProfitRatio * entryPx ? 'take_profit' : null
}

type Leaving = Readonly<{ atMs: EpochMs; why: DeskExit; costRatio: number }>

/** Closes the position at the last price of its market. */
export const closeTrade = (position: OpenTrade, { atMs, why, costRatio }: Leaving): Closed => {
  const { openedAtMs, market, entryPx, lastPx, highPx } = position
  const ret = lastPx / entryPx - 1 - costRatio
  const peakRet = highPx / entryPx - 1 - costRatio
  return { openedAtMs, closedAtMs: atMs, market, ret, peakRet, exit: why }
}
