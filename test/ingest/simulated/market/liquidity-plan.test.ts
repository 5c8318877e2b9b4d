import { expect } from 'chai'
import {
  drawDelaySec,
  drawLiquidityPlan,
  type LiquidityChange,
  type LiquidityPlan,
} from '../../../../ingest/simulated/market/liquidity-plan.ts'
import { marketRates } from '../../../../ingest/simulated/market/rates.ts'
import { createRandom } from '../../../../ingest/simulated/random.ts'

const fromSec = 1_800_000_000
const count = 4000

const plansOf = (seed: number): readonly LiquidityPlan[] =>
  Array.from({ length: count }, (_, id) => drawLiquidityPlan(fromSec, marketRates, createRandom(seed, id)))

/** Returns the share of the owner's liquidity after each change. Only removals reduce it. */
function leftAfter(changes: readonly LiquidityChange[]): readonly number[] {
  let left = 1
  return changes.map((change) => {
    if (change.does === 'remove') left *= 1 - change.share
    return left
  })
}

describe('the liquidity plans of a simulated market', () => {
  for (const seed of [1, 2, 3])
    it(`are as frequent as the rates say, of seed ${seed}`, () => {
      const plans = plansOf(seed)
      for (const kind of ['pulled', 'pulledInParts', 'mostlyPulled', 'partlyPulled', 'rebalanced', 'raised'] as const) {
        const share = plans.filter((plan) => plan.kind === kind).length / count
        expect(share / marketRates[kind], kind).to.be.within(0.75, 1.25)
      }
      const pulled = plans.filter(({ pulledAtSec }) => pulledAtSec !== null)
      const refilled = pulled.filter(({ refilledAtSec }) => refilledAtSec !== null)
      const second = pulled.filter(({ secondAtSec }) => secondAtSec !== null)
      expect(refilled.length / pulled.length).to.be.within(0.17, 0.27)
      expect(second.length / pulled.length).to.be.within(0.24, 0.36)
    })

  it('take out what their names say, and never all of it in parts of four fifths', () => {
    const taken: Record<string, number[]> = {}
    for (const { kind, changes } of plansOf(4)) {
      const removed = changes.filter(
        ({ does, atSec }, index) => does === 'remove' && atSec <= (changes[index]?.atSec ?? 0),
      )
      const first = removed[0]
      if (first && 'share' in first) taken[kind] = [...(taken[kind] ?? []), first.share]
    }
    const within = (kind: string, least: number, most: number) =>
      expect(
        taken[kind]?.every((share) => share >= least && share <= most),
        kind,
      ).to.equal(true)
    within('pulled', 0.85, 1)
    within('mostlyPulled', 0.8, 0.95)
    within('partlyPulled', 0.5, 0.79)
    within('pulledInParts', 0.45, 0.79)
  })

  it('are pulled with the change that leaves a fifth, in parts too, and refilled or opened again behind the last one', () => {
    for (const { kind, changes, pulledAtSec, refilledAtSec, secondAtSec } of plansOf(5)) {
      if (pulledAtSec === null) continue
      const left = leftAfter(changes)
      const at = changes.findIndex(({ atSec }) => atSec === pulledAtSec)
      expect(left[at]).to.be.at.most(0.2)
      expect(left[at - 1] ?? 1).to.be.above(0.2)
      if (kind === 'pulledInParts') expect(at).to.be.within(1, 4)
      expect(Math.max(refilledAtSec ?? pulledAtSec, secondAtSec ?? pulledAtSec)).to.be.at.least(pulledAtSec)
      expect(changes.map(({ atSec }) => atSec)).to.deep.equal(
        [...changes.map(({ atSec }) => atSec)].sort((one, other) => one - other),
      )
    }
  })

  it('come a minute to thirty hours later, in each order of magnitude equally often', () => {
    const random = createRandom(6)
    const delays = Array.from({ length: count }, () => drawDelaySec(random))
    expect(Math.min(...delays)).to.be.within(60, 65)
    expect(Math.max(...delays)).to.be.within(100_000, 108_000)
    for (const [fromMin, toMin] of [
      [1, 10],
      [10, 100],
      [100, 1000],
    ] as const) {
      const within = delays.filter((sec) => sec >= fromMin * 60 && sec < toMin * 60).length
      expect(within / count).to.be.within(0.27, 0.34)
    }
  })
})
