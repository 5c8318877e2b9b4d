/**
 * Plans when the owner of a simulated token's liquidity removes or adds it. The simulator of the chain makes
 * the transactions.
 */
import type { Random } from '../random.ts'
import type { MarketRates } from './rates.ts'

type LiquidityPlanKind = 'kept' | 'pulled' | 'pulledInParts' | 'mostlyPulled' | 'partlyPulled' | 'rebalanced' | 'raised'

/**
 * One transaction of the owner of the liquidity.
 * - `remove`: removes `share` of the remaining liquidity.
 * - `add`: adds `share` times the first liquidity.
 * - `rebalance`: removes all liquidity and adds `share` of the removed amount again.
 * - `refill`: adds `coin` of the chain's coin to a market without liquidity.
 */
export type LiquidityChange = Readonly<{ atSec: number }> &
  Readonly<{ does: 'remove' | 'add' | 'rebalance'; share: number } | { does: 'refill'; coin: number }>

type Removal = Readonly<{ atSec: number; does: 'remove'; share: number }>
type Removals = readonly Removal[]

export type LiquidityPlan = Readonly<{
  kind: LiquidityPlanKind
  /** The owner's transactions, in time order. */
  changes: readonly LiquidityChange[]
  /** The first time at which at most a fifth of the owner's liquidity is left. Null if there is no such time. */
  pulledAtSec: number | null
  refilledAtSec: number | null
  /** The time at which a second market of the token opens. Null if there is none. */
  secondAtSec: number | null
}>

export const unchangedLiquidity: LiquidityPlan = {
  ...{ kind: 'kept', changes: [], pulledAtSec: null, refilledAtSec: null, secondAtSec: null },
}

const hourSec = 3600
const delaySecLeast = 60
const delaySecMost = 30 * hourSec
/**
 * The share of plans whose liquidity changes only 20 to 30 hours after `fromSec`. At about that age, ingest stops following a market that
 * was not called.
 */
const lateShare = 0.12

/** Draws a delay from one minute to thirty hours, in seconds. Its logarithm is uniformly distributed. */
export const drawDelaySec = (random: Random): number =>
  Math.round(delaySecLeast * (delaySecMost / delaySecLeast) ** random.unit())

/** Draws a plan. The liquidity does not change before `fromSec`. */
export function drawLiquidityPlan(fromSec: number, rates: MarketRates, random: Random): LiquidityPlan {
  const kind = drawKind(rates, random)
  const isLate = random.chance(lateShare)
  const atSec = fromSec + (isLate ? random.whole(delaySecMost - 10 * hourSec, delaySecMost) : drawDelaySec(random))
  switch (kind) {
    case 'kept':
      return unchangedLiquidity
    case 'pulled':
      return { kind, ...afterPull([{ atSec, does: 'remove', share: wholeShare(random) }], rates, random) }
    case 'pulledInParts':
      return { kind, ...afterPull(parts(atSec, random), rates, random) }
    case 'mostlyPulled':
      return { kind, ...afterPull([{ atSec, does: 'remove', share: 0.81 + 0.14 * random.unit() }], rates, random) }
    case 'partlyPulled':
      return { ...unchangedLiquidity, kind, changes: [{ atSec, does: 'remove', share: 0.5 + 0.29 * random.unit() }] }
    case 'rebalanced':
      return { ...unchangedLiquidity, kind, changes: [{ atSec, does: 'rebalance', share: 0.85 + 0.3 * random.unit() }] }
    case 'raised':
      return raised(atSec, random)
  }
}

function drawKind(rates: MarketRates, random: Random): LiquidityPlanKind {
  const kinds = ['pulled', 'pulledInParts', 'mostlyPulled', 'partlyPulled', 'rebalanced', 'raised'] as const
  let chance = random.unit()
  for (const kind of kinds) {
    if (chance < rates[kind]) return kind
    chance -= rates[kind]
  }
  return 'kept'
}

/** The plan for a token whose liquidity is removed at `atSec`, soon after its launch. */
export const pulledLiquidity = (atSec: number, random: Random): LiquidityPlan => ({
  ...unchangedLiquidity,
  ...{ kind: 'pulled', changes: [{ atSec, does: 'remove', share: wholeShare(random) }], pulledAtSec: atSec },
})

const wholeShare = (random: Random): number => (random.chance(0.75) ? 1 : 0.85 + 0.14 * random.unit())

/**
 * Plans a removal of the liquidity in several transactions. Each one removes 45 to 75 % of the remaining
 * liquidity, until at most an eighth is left.
 */
function parts(fromSec: number, random: Random): Removals {
  const changes: Removal[] = []
  let [atSec, left] = [fromSec, 1]
  while (left > 0.125) {
    const share = 0.45 + 0.3 * random.unit()
    changes.push({ atSec, does: 'remove', share })
    left *= 1 - share
    atSec += random.whole(20, 900)
  }
  return changes
}

/**
 * Plans what happens after a pull, whose removals leave at most a fifth. Some owners add liquidity again within
 * an hour. Others open a second market.
 */
function afterPull(removals: Removals, rates: MarketRates, random: Random): Omit<LiquidityPlan, 'kind'> {
  const pulledAtSec = emptiedAtSec(removals)
  const behindSec = (removals.at(-1) as Removal).atSec
  const liquidityPlan = { changes: removals, pulledAtSec, refilledAtSec: null, secondAtSec: null }
  const chance = random.unit()
  if (chance < rates.refilled) {
    const refill: LiquidityChange = {
      atSec: behindSec + random.whole(60, hourSec),
      does: 'refill',
      coin: 1 + 4 * random.unit(),
    }
    const again: readonly LiquidityChange[] = random.chance(rates.pulledAgain)
      ? [{ atSec: refill.atSec + random.whole(600, 3 * hourSec), does: 'remove', share: 1 }]
      : []
    return { ...liquidityPlan, changes: [...removals, refill, ...again], refilledAtSec: refill.atSec }
  }
  return chance < rates.refilled + rates.second
    ? { ...liquidityPlan, secondAtSec: behindSec + random.whole(120, 1.5 * hourSec) }
    : liquidityPlan
}

/** Returns the time of the removal after which at most a fifth is left. */
function emptiedAtSec(removals: Removals): number {
  let left = 1
  const last = removals.find(({ share }) => {
    left *= 1 - share
    return left <= 0.2
  })
  return (last as Removal).atSec
}

/**
 * Plans an addition of liquidity, and in half of the cases a removal of 82 to 90 % later. What is left is a
 * larger share of the liquidity before the addition than of the liquidity after it. So buyers before the
 * addition lose less than buyers after it.
 */
function raised(atSec: number, random: Random): LiquidityPlan {
  const add: LiquidityChange = { atSec, does: 'add', share: 0.4 + 0.8 * random.unit() }
  const later: LiquidityChange = {
    atSec: atSec + random.whole(600, 4 * hourSec),
    does: 'remove',
    share: 0.82 + 0.08 * random.unit(),
  }
  return { ...unchangedLiquidity, kind: 'raised', changes: random.chance(0.5) ? [add, later] : [add] }
}
