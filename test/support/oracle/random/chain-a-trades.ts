/**
 * Draws the trades of a random pool. There are runs of buys at many ages, trades after each run, and swaps
 * that do not count.
 */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import type { Draw } from '../../../replay/market/draw.ts'
import { buildAddress, buildHash, buildSwap, weiOf } from '../../builders/build-facts.ts'
import type { DrawnEvent, DrawnPlace, DrawnPool } from './chain-a-market.ts'
import { firstLevel, sqrtPriceOf } from './chain-a-price.ts'

const hourSec = 3600

/**
 * The age, in seconds, at which every pool has a run of buys. The outcome of this run can be open when the
 * service drops another pool of the token.
 */
const lastAge = 24 * hourSec - 70

/** The ages at which runs begin, in seconds. Each age is near a limit of the rules or far from all limits. */
const runAges = [
  240,
  310,
  900,
  2700,
  5 * hourSec,
  6 * hourSec - 30,
  6 * hourSec + 5,
  10 * hourSec,
  lastAge,
  25 * hourSec,
]

/**
 * The possible price steps. Their products never equal a ratio of a rule. At an equal ratio, the last digit
 * of a double would decide.
 */
const steps = [1, 1, 1.0213, 1.0531, 0.9817, 0.9529, 1.1517, 0.8473, 1.4119, 0.7537, 1.8131]

export function tradesOf(pool: DrawnPool, draw: Draw): readonly DrawnEvent[] {
  const events: DrawnEvent[] = []
  const add = (atSec: number, what: Trade) => events.push(eventOf(pool, { atSec, half: draw(2) }, what))
  for (const age of runAges.filter((each) => each === lastAge || draw(5) < 3)) {
    const startSec = pool.openedSec + age + draw(20)
    for (const trade of runOf(draw)) add(startSec + draw(58), trade)
    for (let atSec = startSec + 60 + draw(30); atSec < startSec + 1900; atSec += 5 + draw(200))
      add(atSec, { eth: amountOf(draw), step: pick(draw, steps), kind: pick(draw, kinds) })
  }
  return events
}

type Kind = 'counted' | 'by the hook' | 'at the limit' | 'without ETH' | 'in no pool'
const kinds: readonly Kind[] = [
  ...Array.from({ length: 12 }, () => 'counted' as const),
  ...(['by the hook', 'at the limit', 'without ETH', 'in no pool'] as const),
]

type Trade = Readonly<{ eth: number; step: number; kind: Kind }>

const pick = <Value>(draw: Draw, values: readonly Value[]): Value => values[draw(values.length)] as Value

const amountOf = (draw: Draw): number => (draw(3) === 0 ? -1 : 1) * pick(draw, [0.001, 0.02, 0.1, 0.3, 0.6])

/** Draws a run of buys. The number and the sizes of the buys are close to the thresholds. */
function runOf(draw: Draw): readonly Trade[] {
  const isScripted = draw(3) === 0
  const isSellOff = draw(6) === 0
  const size = pick(draw, [0.05, 0.08, 0.12, 0.2])
  const buys = Array.from({ length: 8 + draw(14) }, (): Trade => {
    const eth = isScripted ? size : size * (1 + draw(5) / 4)
    return { eth: draw(10) === 0 ? 4 * eth : eth, step: 1.0117, kind: pick(draw, kinds) }
  })
  const sells = Array.from(
    { length: draw(3) },
    (): Trade => ({ eth: isSellOff ? -0.4 : -0.02, step: 0.9907, kind: 'counted' }),
  )
  return [...buys, ...sells]
}

/**
 * Makes an event of a trade. `step` is the price after the trade divided by the price after the last counted
 * trade of the pool.
 */
function eventOf(
  pool: DrawnPool,
  { atSec, half }: Readonly<{ atSec: number; half: number }>,
  trade: Trade,
): DrawnEvent {
  return { atSec, half, token: pool.token, make: (place) => [swapOf(pool, trade, place)] }
}

const levels = new WeakMap<DrawnPool, number>()

export const priceNow = (pool: DrawnPool): bigint => sqrtPriceOf(levels.get(pool) ?? firstLevel, pool.ethIsCurrency0)

/** Builds a swap. Must be called in chain order, because each price continues from the last swap. */
export function swapOf(pool: DrawnPool, { eth, step, kind }: Trade, place: DrawnPlace): ChainAFact {
  const level = Math.min(1e-7, Math.max(1e-11, (levels.get(pool) ?? firstLevel) * step))
  if (kind === 'counted') levels.set(pool, level)
  const { pool: id, hooks, ethIsCurrency0 } = pool
  const sender: Hex = kind === 'by the hook' && hooks !== null ? hooks : buildAddress(0x5e)
  return buildSwap({
    ...place,
    pool: kind === 'in no pool' ? buildHash(0xbad) : id,
    ethWei: kind === 'without ETH' ? 0n : weiOf(eth),
    sqrtPriceX96: sqrtPriceOf(kind === 'counted' || kind === 'by the hook' ? level : 9 * level, ethIsCurrency0),
    sender,
    tick: kind === 'at the limit' ? (place.txIndex % 2 === 0 ? 887_271 : -887_272) : 207_000,
  })
}
