/**
 * Plans when chats call (recommend) a simulated token outside its bursts. A burst is a time of many
 * purchases.
 */
import type { Random } from '../random.ts'
import { drawDelaySec, type LiquidityPlan } from './liquidity-plan.ts'

export type CallTimeKind =
  /** The call names the token before the token's first market exists. */
  | 'beforeMarket'
  | 'beforePull'
  | 'afterPull'
  | 'afterRefill'
  | 'onSecond'
  | 'longAfter'
  /**
   * The market is 20 to 24.5 hours old. Without the call, ingest would stop following the market at the end
   * of this time.
   */
  | 'aging'
  /** The market is older than 24.5 hours. */
  | 'aged'
  | 'onCurve'
  /**
   * The curve was completed, and trading continues in a pool. With `graduated`, this was within the last
   * hour. With `longGraduated`, it was hours ago.
   */
  | 'graduated'
  | 'longGraduated'
  /** The token is no longer traded. */
  | 'dead'
  | 'organic'

export type CallTime = Readonly<{ kind: CallTimeKind; atSec: number }>

export type TradedTime = Readonly<{
  beginsAtSec: number
  /** The end of all trading. */
  endsAtSec: number
  /** The time at which the token's planned bursts of purchases end. Null if the token has none. */
  calledFromSec: number | null
  liquidityPlan: LiquidityPlan
  /**
   * The approximate time at which the token's curve was completed and a pool replaced it. Null if this did
   * not happen.
   */
  graduatedAtSec: number | null
}>

const hourSec = 3600

/** Whether the call time is outside the time in which the token is traded. */
const isBeside = (kind: CallTimeKind): boolean => kind === 'dead' || kind === 'beforeMarket'

/** Draws the call times of a token, at most one of each kind. */
export function drawCallTimes(life: TradedTime, random: Random): readonly CallTime[] {
  const { beginsAtSec, endsAtSec, calledFromSec, liquidityPlan, graduatedAtSec } = life
  const { pulledAtSec, refilledAtSec, secondAtSec } = liquidityPlan
  const callTimes: CallTime[] = []
  const add = (kind: CallTimeKind, atSec: number) => {
    if (isBeside(kind) || (atSec > beginsAtSec && atSec < endsAtSec)) callTimes.push({ kind, atSec: Math.floor(atSec) })
  }
  if (pulledAtSec !== null) {
    const firstSec = liquidityPlan.changes[0]?.atSec ?? pulledAtSec
    if (calledFromSec !== null) add('beforePull', Math.max(calledFromSec, firstSec - random.whole(100, 900)))
    add('afterPull', pulledAtSec + random.whole(5, 120))
  }
  if (refilledAtSec !== null) add('afterRefill', refilledAtSec + random.whole(60, 1800))
  if (secondAtSec !== null) add('onSecond', secondAtSec + random.whole(400, 2 * hourSec))
  if (calledFromSec !== null) add('longAfter', calledFromSec + hourSec + drawDelaySec(random))
  if (graduatedAtSec !== null) {
    add('graduated', graduatedAtSec + random.whole(360, hourSec))
    add('longGraduated', graduatedAtSec + hourSec + drawDelaySec(random))
  }
  add('aging', beginsAtSec + random.whole(20 * hourSec, 24.4 * hourSec))
  add('aged', beginsAtSec + random.whole(24.6 * hourSec, 44 * hourSec))
  if (endsAtSec - beginsAtSec < 12 * hourSec && random.chance(0.1))
    add('dead', endsAtSec + hourSec + drawDelaySec(random))
  if (random.chance(0.1)) add('beforeMarket', beginsAtSec - random.whole(32, 90))
  return callTimes
}
