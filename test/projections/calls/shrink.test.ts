/**
 * Tests the ranking of callers, the authors of posts about tokens. The true success rate of each simulated
 * caller is known.
 */
import { expect } from 'chai'
import { betaBelow, betaQuantile } from '../../../projections/calls/queries/beta.ts'
import {
  intervalOf,
  isLarge,
  kOfMeans,
  kOfRates,
  pooledOf,
  rateOf,
  shrunk,
  type Tally,
  towardOf,
} from '../../../projections/calls/queries/shrink.ts'
import { callersRules } from '../../../schemas/calls/callers.ts'

type Caller = Readonly<{ truth: number }> & Tally

/** Random numbers in [0, 1). The same seed gives the same numbers. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Draw = (random: () => number) => number

/** Draws from the distribution Beta(a, b) for whole a and b. Uses sums of exponential waiting times. */
const betaDraw =
  (a: number, b: number): Draw =>
  (random) => {
    const wait = (count: number) => {
      let sum = 0
      for (let index = 0; index < count; index++) sum -= Math.log(1 - random())
      return sum
    }
    const [left, right] = [wait(a), wait(b)]
    return left / (left + right)
  }

/** Callers with 3 to 300 calls. Most have few. */
function drawCallers(seed: number, draw: Draw): readonly Caller[] {
  const random = createRandom(seed)
  return Array.from({ length: 200 }, () => {
    const truth = draw(random)
    const weight = Math.round(3 * 100 ** random())
    let hits = 0
    for (let call = 0; call < weight; call++) if (random() < truth) hits += 1
    return { truth, weight, hits }
  })
}

/** Ranks from 0 on. Equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b)
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const deviationOf = (values: readonly number[]): number => {
  const mean = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
}

function rankCorrelation(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [ranksOf(left), ranksOf(right)]
  const product = meanOf(a.map((rank, index) => rank * (b[index] ?? 0)))
  return (product - meanOf(a) * meanOf(b)) / (deviationOf(a) * deviationOf(b))
}

/**
 * Returns for each caller the shrunk success rate, which is pulled toward that of all callers, and its
 * interval.
 */
function board(callers: readonly Tally[]) {
  const pooled = pooledOf(callers)
  const k = kOfRates(callers)
  return callers.map((caller) => {
    const toward = towardOf(caller, pooled)
    const value = shrunk(rateOf(caller) ?? 0, caller.weight, { k, toward })
    return { value, interval: () => intervalOf(caller, { k, toward, pooledWeight: pooled.weight }) }
  })
}

const seeds = Array.from({ length: 200 }, (_, index) => index + 1)

/**
 * `covered`: the share of intervals that contain the true rate. `gain`: the rank correlation of shrunk rates
 * with the truth, minus that of raw rates.
 */
function judge(callers: readonly Caller[]) {
  const said = board(callers)
  const truths = callers.map(({ truth }) => truth)
  const isCovered = (truth: number, index: number) => {
    const [low = 1, high = 0] = said[index]?.interval() ?? []
    return truth >= low && truth <= high
  }
  const shrunkValues = said.map(({ value }) => value)
  const rawValues = callers.map((caller) => rateOf(caller) ?? 0)
  return {
    covered: truths.filter(isCovered).length / truths.length,
    gain: rankCorrelation(shrunkValues, truths) - rankCorrelation(rawValues, truths),
  }
}

describe('the statistics of callers', () => {
  const populations: readonly (readonly [string, Draw])[] = [
    ['Beta(3, 9)', betaDraw(3, 9)],
    ['Beta(5, 20)', betaDraw(5, 20)],
    ['one in ten 0.5, all others 0.2', (random) => (random() < 0.1 ? 0.5 : 0.2)],
    ['even from 0.1 to 0.6', (random) => 0.1 + 0.5 * random()],
  ]
  for (const [name, draw] of populations)
    it(`cover the true rates with their intervals, and order callers better than raw rates do: ${name}`, function () {
      const judged = seeds.map((seed) => judge(drawCallers(seed, draw)))
      const covered = meanOf(judged.map((one) => one.covered))
      const gains = judged.map(({ gain }) => gain)
      const t = (meanOf(gains) / deviationOf(gains)) * Math.sqrt(gains.length - 1)
      const better = gains.filter((gain) => gain > 0).length
      const figures = `covered ${(100 * covered).toFixed(1)} %, rank correlation +${meanOf(gains).toFixed(3)}`
      if (this.test) this.test.title += ` (${figures}, better in ${better} of ${seeds.length}, t ${t.toFixed(0)})`
      expect(covered).to.be.within(0.85, 0.95)
      expect(t).to.be.above(3)
    })

  it('rank five of five below 120 of 200, where the callers are such that it means less', () => {
    const five = { hits: 5, weight: 5 }
    const many = { hits: 120, weight: 200 }
    for (const [name, draw] of populations.slice(0, 3))
      for (const seed of seeds) {
        const said = board([five, many, ...drawCallers(seed, draw)])
        expect(said[0]?.value, `${name}, seed ${seed}`).to.be.below(said[1]?.value ?? 0)
      }
  })

  it('find the k that the callers were drawn with', () => {
    const found = seeds.map((seed) => kOfRates(drawCallers(seed, betaDraw(3, 9)))).sort((a, b) => a - b)
    expect(found[100]).to.be.within(10, 14)
  })

  it('keep k within its bounds, and take the most where nothing tells callers apart', () => {
    const { kMin, kMax } = callersRules
    const equal = { hits: 5, weight: 10 }
    const cases: readonly (readonly [readonly Tally[], number])[] = [
      [[], kMax],
      [[equal], kMax],
      [[equal, equal, equal], kMax],
      [
        [
          { hits: 0, weight: 9 },
          { hits: 0, weight: 20 },
        ],
        kMax,
      ],
      [
        [
          { hits: 9, weight: 9 },
          { hits: 20, weight: 20 },
        ],
        kMax,
      ],
      // With one call per caller, the data do not separate the variance between callers from the variance
      // within callers.
      [
        [
          { hits: 1, weight: 1 },
          { hits: 0, weight: 1 },
        ],
        kMax,
      ],
      [
        [
          { hits: 0, weight: 100 },
          { hits: 100, weight: 100 },
        ],
        kMin,
      ],
    ]
    for (const [tallies, k] of cases) expect(kOfRates(tallies), JSON.stringify(tallies)).to.equal(k)
    expect(kOfMeans([])).to.equal(kMax)
    expect(kOfMeans([{ n: 1, sum: 3, squares: 9 }])).to.equal(kMax)
    expect(
      kOfMeans([
        { n: 2, sum: 2, squares: 4 },
        { n: 2, sum: 2, squares: 4 },
      ]),
    ).to.equal(kMax)
    expect(
      kOfMeans([
        { n: 9, sum: 0, squares: 0 },
        { n: 9, sum: 9, squares: 9 },
      ]),
    ).to.equal(kMin)
  })

  it('find k of means as the variance within callers over that between', () => {
    // The deviation is 1 within callers and 0.25 between callers, so k is (1 / 0.25)² = 16.
    const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const found = seeds.map((seed) => {
      const random = createRandom(seed)
      return kOfMeans(
        Array.from({ length: 120 }, () => {
          const [mean, n] = [0.25 * normal(random), Math.round(3 * 100 ** random())]
          const values = Array.from({ length: n }, () => mean + normal(random))
          const sum = values.reduce((total, value) => total + value, 0)
          return { n, sum, squares: values.reduce((total, value) => total + value ** 2, 0) }
        }),
      )
    })
    expect(found.sort((a, b) => a - b)[100]).to.be.within(13.5, 18.5)
  })

  it('move a value toward that of all by k calls', () => {
    expect(shrunk(1, 5, { k: 10, toward: 0.25 })).to.equal(0.5)
    expect(shrunk(-0.5, 10, { k: 10, toward: 0.5 })).to.equal(0)
  })

  it('compare a caller with more than a twentieth of all calls with the others alone', () => {
    const pooled = { hits: 30, weight: 100 }
    expect(isLarge(5, 100)).to.equal(false)
    expect(isLarge(5.1, 100)).to.equal(true)
    expect(towardOf({ hits: 4, weight: 5 }, pooled)).to.equal(0.3)
    expect(towardOf({ hits: 10, weight: 20 }, pooled)).to.equal(20 / 80)
    expect(towardOf({ hits: 30, weight: 100 }, pooled), 'alone').to.equal(0.3)
    expect(towardOf({ hits: 0, weight: 0 }, { hits: 0, weight: 0 }), 'nothing').to.equal(0)
  })

  it('keep an interval open where nobody ever hit, or everybody did', () => {
    const never = intervalOf({ hits: 0, weight: 10 }, { k: 10, toward: 0, pooledWeight: 30 })
    expect(never[0]).to.be.within(0, 0.001)
    expect(never[1]).to.be.within(0.01, 0.2)
    const always = intervalOf({ hits: 10, weight: 10 }, { k: 10, toward: 1, pooledWeight: 30 })
    expect(always[0]).to.be.within(0.8, 0.99)
    expect(always[1]).to.be.within(0.999, 1)
  })
})

describe('the Beta distribution', () => {
  it('has the quantiles that can be written down', () => {
    for (const p of [0.001, 0.05, 0.5, 0.95, 0.999]) {
      for (const b of [0.2, 1, 3.5, 250]) {
        expect(betaQuantile(p, 1, b), `Beta(1, ${b})`).to.be.closeTo(1 - (1 - p) ** (1 / b), 1e-12)
        expect(betaQuantile(p, b, 1), `Beta(${b}, 1)`).to.be.closeTo(p ** (1 / b), 1e-12)
      }
      expect(betaQuantile(p, 0.5, 0.5), 'arcsine').to.be.closeTo(Math.sin((Math.PI / 2) * p) ** 2, 1e-12)
    }
  })

  it('adds up the binomial distribution', () => {
    // At most 3 hits of 12 with a rate of 0.4.
    const below = [1, 12, 66, 220].reduce((sum, ways, hits) => sum + ways * 0.4 ** hits * 0.6 ** (12 - hits), 0)
    expect(1 - betaBelow(0.4, 4, 9)).to.be.closeTo(below, 1e-13)
    expect(betaBelow(0, 2, 2)).to.equal(0)
    expect(betaBelow(1, 2, 2)).to.equal(1)
  })

  it('has quantiles that are its inverse, for the counts of a board', () => {
    for (const alpha of [0.01, 0.4, 3, 40, 900])
      for (const beta of [0.02, 1.7, 25, 4000])
        for (const p of [0.05, 0.95]) {
          const x = betaQuantile(p, alpha, beta)
          // Skips extreme x. The distribution is so steep there that neighbouring doubles differ by more than
          // the tolerance.
          if (x > 1e-15 && x < 1 - 1e-15) expect(betaBelow(x, alpha, beta)).to.be.closeTo(p, 1e-6)
        }
  })
})
