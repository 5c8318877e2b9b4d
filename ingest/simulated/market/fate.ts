/** What becomes of a token's liquidity, in words of no chain: whatever chain it is on, its own contracts carry it out. */
import type { Random } from '../random.ts'
import type { MarketRates } from './rates.ts'

type FateKind = 'kept' | 'pulled' | 'pulledInParts' | 'mostlyPulled' | 'partlyPulled' | 'rebalanced' | 'raised'

/**
 * One transaction of whoever owns the liquidity. `remove`: this share of what the owner has left. `add`: this share of what it
 * put in at first. `rebalance`: all is taken out, and this share of its coin put back. `refill`: so much coin into a
 * market that was pulled.
 */
export type Deed = Readonly<{ atSec: number }> &
  Readonly<{ does: 'remove' | 'add' | 'rebalance'; share: number } | { does: 'refill'; coin: number }>

export type Fate = Readonly<{
  kind: FateKind
  /** In time order. */
  deeds: readonly Deed[]
  /** When at most a fifth of the owner's liquidity is left for the first time. */
  pulledAtSec: number | null
  refilledAtSec: number | null
  /** The token goes on in a second market. */
  secondAtSec: number | null
}>

export const keptFate: Fate = {
  ...{ kind: 'kept', deeds: [], pulledAtSec: null, refilledAtSec: null, secondAtSec: null },
}

const hourSec = 3600
const delaySecLeast = 60
const delaySecMost = 30 * hourSec
/** So many more come in the last ten hours: these markets are about to be forgotten by those who follow none for longer. */
const lateShare = 0.12

/** From a minute to thirty hours, each order of magnitude equally often. */
export const drawDelaySec = (random: Random): number =>
  Math.round(delaySecLeast * (delaySecMost / delaySecLeast) ** random.unit())

/** `fromSec`: nothing is done to the liquidity before. */
export function drawFate(fromSec: number, rates: MarketRates, random: Random): Fate {
  const kind = drawKind(rates, random)
  const isLate = random.chance(lateShare)
  const atSec = fromSec + (isLate ? random.whole(delaySecMost - 10 * hourSec, delaySecMost) : drawDelaySec(random))
  switch (kind) {
    case 'kept':
      return keptFate
    case 'pulled':
      return { kind, ...afterPull([{ atSec, does: 'remove', share: wholeShare(random) }], rates, random) }
    case 'pulledInParts':
      return { kind, ...afterPull(parts(atSec, random), rates, random) }
    case 'mostlyPulled':
      return { kind, ...afterPull([{ atSec, does: 'remove', share: 0.81 + 0.14 * random.unit() }], rates, random) }
    case 'partlyPulled':
      return { ...keptFate, kind, deeds: [{ atSec, does: 'remove', share: 0.5 + 0.29 * random.unit() }] }
    case 'rebalanced':
      return { ...keptFate, kind, deeds: [{ atSec, does: 'rebalance', share: 0.85 + 0.3 * random.unit() }] }
    case 'raised':
      return raised(atSec, random)
  }
}

function drawKind(rates: MarketRates, random: Random): FateKind {
  const kinds = ['pulled', 'pulledInParts', 'mostlyPulled', 'partlyPulled', 'rebalanced', 'raised'] as const
  let chance = random.unit()
  for (const kind of kinds) {
    if (chance < rates[kind]) return kind
    chance -= rates[kind]
  }
  return 'kept'
}

/** The pull of one whose liquidity is taken early, whoever trades. */
export const pulledFate = (atSec: number, random: Random): Fate => ({
  ...keptFate,
  ...{ kind: 'pulled', deeds: [{ atSec, does: 'remove', share: wholeShare(random) }], pulledAtSec: atSec },
})

const wholeShare = (random: Random): number => (random.chance(0.75) ? 1 : 0.85 + 0.14 * random.unit())

/** Each part takes 45 to 75 % of what is left, until less than an eighth is. */
function parts(fromSec: number, random: Random): readonly Deed[] {
  const deeds: Deed[] = []
  let [atSec, left] = [fromSec, 1]
  while (left > 0.125) {
    const share = 0.45 + 0.3 * random.unit()
    deeds.push({ atSec, does: 'remove', share })
    left *= 1 - share
    atSec += random.whole(20, 900)
  }
  return deeds
}

/** Some put liquidity back after an hour at most, some open another market. */
function afterPull(removals: readonly Deed[], rates: MarketRates, random: Random): Omit<Fate, 'kind'> {
  const pulledAtSec = emptiedAtSec(removals)
  const behindSec = (removals.at(-1) as Deed).atSec
  const fate = { deeds: removals, pulledAtSec, refilledAtSec: null, secondAtSec: null }
  const chance = random.unit()
  if (chance < rates.refilled) {
    const refill: Deed = { atSec: behindSec + random.whole(60, hourSec), does: 'refill', coin: 1 + 4 * random.unit() }
    const again: readonly Deed[] = random.chance(rates.pulledAgain)
      ? [{ atSec: refill.atSec + random.whole(600, 3 * hourSec), does: 'remove', share: 1 }]
      : []
    return { ...fate, deeds: [...removals, refill, ...again], refilledAtSec: refill.atSec }
  }
  return chance < rates.refilled + rates.second
    ? { ...fate, secondAtSec: behindSec + random.whole(120, 1.5 * hourSec) }
    : fate
}

function emptiedAtSec(removals: readonly Deed[]): number | null {
  let left = 1
  for (const { atSec, ...deed } of removals) {
    if (deed.does === 'remove') left *= 1 - deed.share
    if (left <= 0.2) return atSec
  }
  return null
}

/** Who saw the market before the addition loses less than who came after it. */
function raised(atSec: number, random: Random): Fate {
  const add: Deed = { atSec, does: 'add', share: 0.4 + 0.8 * random.unit() }
  const later: Deed = {
    atSec: atSec + random.whole(600, 4 * hourSec),
    does: 'remove',
    share: 0.82 + 0.08 * random.unit(),
  }
  return { ...keptFate, kind: 'raised', deeds: random.chance(0.5) ? [add, later] : [add] }
}
