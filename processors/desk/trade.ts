/** One position, from its fill to its exit. */
import type { DeskExit, DeskOpened, DeskTrade } from '../../schemas/desk/derived.ts'
import type { LaneExit } from '../../schemas/desk/rules.ts'
import { isPulled } from '../markets/move.ts'
import type { Standing } from './standing.ts'

export type Position = {
  readonly market: DeskOpened['market']
  readonly openedAtMs: number
  readonly entryPx: number
  /** The share of all liquidity that was left at the fill. */
  readonly entryLeft: number
  lastPx: number
  highPx: number
}

/** A position and its exit, as the record of it says. */
export type Closed = Pick<DeskTrade, 'openedAtMs' | 'closedAtMs' | 'market' | 'ret' | 'peakRet' | 'exit'>

type Fill = Pick<Position, 'market' | 'openedAtMs'>

/** Written out, as is all that is changed at every trade: V8 allocates a number at each change of an object that was spread. */
export const openPosition = ({ market, openedAtMs }: Fill, { px, left }: Standing): Position => ({
  market,
  openedAtMs,
  entryPx: px,
  entryLeft: left,
  lastPx: px,
  highPx: px,
})

export const timeOutAtMs = ({ openedAtMs }: Pick<Position, 'openedAtMs'>, { timeMs }: LaneExit): number =>
  openedAtMs + timeMs

/** Takes the liquidity after a move. Null: it was not pulled. */
export function judgeLeft(position: Position, { left }: Pick<Standing, 'left'>, leftMax: number): DeskExit | null {
  if (!isPulled(position.entryLeft, left, leftMax)) return null
  position.lastPx = 0
  return 'rug'
}

/** Takes the price after a move. Returns why the position is left there, null if it is not. */
export function judgePx(position: Position, { px }: Pick<Standing, 'px'>, exit: LaneExit): DeskExit | null {
  position.lastPx = px
  if (px > position.highPx) position.highPx = px
  const { entryPx, highPx } = position
  if (px <= exit.stopRatio * entryPx) return 'stop'
  if (highPx >= exit.trailFromRatio * entryPx && px <= exit.trailRatio * highPx) return 'trail'
  return px >= exit.takeProfitRatio * entryPx ? 'take_profit' : null
}

type Leaving = Readonly<{ atMs: number; why: DeskExit; costRatio: number }>

/** At the price of its last move. */
export const closePosition = (position: Position, { atMs, why, costRatio }: Leaving): Closed => {
  const { openedAtMs, market, entryPx, lastPx, highPx } = position
  const ret = lastPx / entryPx - 1 - costRatio
  const peakRet = highPx / entryPx - 1 - costRatio
  return { openedAtMs, closedAtMs: atMs, market, ret, peakRet, exit: why }
}
