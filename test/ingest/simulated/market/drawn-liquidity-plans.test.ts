import { expect } from 'chai'
import {
  drawLiquidityPlan,
  type LiquidityPlan,
  pulledLiquidity,
} from '../../../../ingest/simulated/market/liquidity-plan.ts'
import { type MarketRates, marketRates } from '../../../../ingest/simulated/market/rates.ts'
import { givenRandom } from '../given-random.ts'

/**
 * Probabilities of liquidity plans. They are exact as binary numbers, so that a test can draw a number
 * exactly at their bounds.
 */
const rates: MarketRates = {
  ...{ pulled: 0.25, pulledInParts: 0.125, mostlyPulled: 0.125, partlyPulled: 0.125, rebalanced: 0.125, raised: 0.125 },
  ...{ refilled: 0.25, second: 0.25, pulledAgain: 0.25, longLived: 0 },
}
const firstOf = {
  ...{ pulled: 0, pulledInParts: 0.25, mostlyPulled: 0.375, partlyPulled: 0.5, rebalanced: 0.625, raised: 0.75 },
  kept: 0.875,
} as const

type Drawn = Readonly<{ units?: readonly number[]; chances?: readonly boolean[]; isMost?: boolean }>

/**
 * Draws a plan of this kind that begins at second 0. The first random number chooses the kind. `units` and
 * `chances` are the random draws after it.
 */
const planOf = (kind: LiquidityPlan['kind'], { units = [], chances = [], isMost = false }: Drawn): LiquidityPlan =>
  drawLiquidityPlan(0, rates, givenRandom({ units: [firstOf[kind], ...units], chances, isMost }))

describe('a drawn liquidity plan', () => {
  it('is of the kind within whose rate the number is', () => {
    for (const [kind, first] of Object.entries(firstOf)) {
      const kindAt = (unit: number) => drawLiquidityPlan(0, rates, givenRandom({ units: [unit, 0, 0.9] })).kind
      expect(kindAt(first), kind).to.equal(kind)
      if (first > 0) expect(kindAt(first - 2 ** -32), `before ${kind}`).to.not.equal(kind)
    }
  })

  it('is kept without any change', () => {
    const nothing = { changes: [], pulledAtSec: null, refilledAtSec: null, secondAtSec: null }
    expect(planOf('kept', {})).to.deep.equal({ kind: 'kept', ...nothing })
  })

  it('begins 1 minute to 30 hours later, or if it is late 20 to 30 hours later', () => {
    const secondOf = (drawn: Drawn) => planOf('partlyPulled', drawn).changes[0]?.atSec
    expect(secondOf({ units: [0] })).to.equal(60)
    expect(secondOf({ units: [1] })).to.equal(108_000)
    expect(secondOf({ chances: [true] })).to.equal(72_000)
    expect(secondOf({ chances: [true], isMost: true })).to.equal(108_000)
  })

  it('removes, rebalances or adds the shares of its kind', () => {
    const deedsOf = (kind: LiquidityPlan['kind'], units: readonly number[], chances: readonly boolean[] = []) =>
      planOf(kind, { units: [0, ...units], chances }).changes.map((change) => {
        const amount = change.does === 'refill' ? change.coin : change.share
        return `${change.does} ${Math.round(amount * 1000) / 1000} at ${change.atSec}`
      })
    for (const [kind, least, most] of [
      ['pulled', 'remove 0.85', 'remove 0.99'],
      ['mostlyPulled', 'remove 0.81', 'remove 0.95'],
      ['partlyPulled', 'remove 0.5', 'remove 0.79'],
      ['rebalanced', 'rebalance 0.85', 'rebalance 1.15'],
      ['raised', 'add 0.4', 'add 1.2'],
    ] as const) {
      expect(deedsOf(kind, [0, 0.9])).to.deep.equal([`${least} at 60`])
      expect(deedsOf(kind, [1, 0.9])).to.deep.equal([`${most} at 60`])
    }
    expect(deedsOf('pulled', [0.9], [false, true])).to.deep.equal(['remove 1 at 60'])
    expect(deedsOf('raised', [0, 0], [false, true])).to.deep.equal(['add 0.4 at 60', 'remove 0.82 at 660'])
    expect(deedsOf('raised', [0, 1], [false, true])).to.deep.equal(['add 0.4 at 60', 'remove 0.9 at 660'])
    expect(planOf('raised', { chances: [false, true], isMost: true }).changes[1]?.atSec).to.equal(14_460)
  })

  it('takes parts until at most an eighth is left, and is pulled with the part that leaves a fifth', () => {
    const sixths = planOf('pulledInParts', { units: [0, 1 / 6, 1 / 6, 1 / 6, 0.9] })
    expect(sixths.changes.map(({ atSec }) => atSec)).to.deep.equal([60, 80, 100])
    expect(sixths.pulledAtSec).to.equal(100)
    const most = planOf('pulledInParts', { units: [0, 1, 1, 0.9], isMost: true })
    expect(most.changes.map((change) => ('share' in change ? [change.atSec, change.share] : change))).to.deep.equal([
      ...[
        [60, 0.75],
        [960, 0.75],
      ],
    ])
    expect(most.pulledAtSec).to.equal(960)
    const uneven = planOf('pulledInParts', { units: [0, 1, 0.2, 0, 0.9] })
    expect([uneven.changes.length, uneven.pulledAtSec]).to.deep.equal([3, 80])
  })

  it('may go on after the pull: with a refill, another pull or a second market', () => {
    const afterPull = (chance: number, coin: number, drawn: Drawn = {}) => {
      const { chances = [], isMost = false } = drawn
      const plan = planOf('pulled', { units: [0, 0, chance, coin], chances: [false, false, ...chances], isMost })
      return [...plan.changes.slice(1), plan.refilledAtSec, plan.secondAtSec]
    }
    expect(afterPull(0, 0)).to.deep.equal([{ atSec: 120, does: 'refill', coin: 1 }, 120, null])
    expect(afterPull(0.2499, 1, { isMost: true })).to.deep.equal([{ atSec: 3660, does: 'refill', coin: 5 }, 3660, null])
    const again = { does: 'remove', share: 1 }
    expect(afterPull(0, 0, { chances: [true] })[1]).to.deep.equal({ ...again, atSec: 720 })
    expect(afterPull(0, 0, { chances: [true], isMost: true })[1]).to.deep.equal({ ...again, atSec: 14_460 })
    expect(afterPull(0.25, 0)).to.deep.equal([null, 180])
    expect(afterPull(0.4999, 0, { isMost: true })).to.deep.equal([null, 5460])
    expect(afterPull(0.5, 0)).to.deep.equal([null, null])
  })

  it('of a token that is pulled soon after its launch has nothing but the pull', () => {
    const pull = { atSec: 99, does: 'remove', share: 1 }
    const rest = { refilledAtSec: null, secondAtSec: null }
    expect(pulledLiquidity(99, givenRandom({ chances: [true] }))).to.deep.equal({
      ...{ kind: 'pulled', changes: [pull], pulledAtSec: 99, ...rest },
    })
    expect(pulledLiquidity(99, givenRandom({})).changes).to.deep.equal([{ ...pull, share: 0.85 }])
  })

  it('leaves most tokens alone at the usual rates', () => {
    const { pulled, pulledInParts, mostlyPulled, partlyPulled, rebalanced, raised, refilled, second } = marketRates
    expect(pulled + pulledInParts + mostlyPulled + partlyPulled + rebalanced + raised).to.be.below(0.5)
    expect(refilled + second).to.be.below(1)
  })
})
