import { expect } from 'chai'
import { createRandom, mix, mixTwo, shuffled } from '../../../ingest/simulated/random.ts'

describe('seeded random numbers', () => {
  it('are the same for the same words, and others for other words', () => {
    const numbersOf = (...words: readonly number[]) => {
      const random = createRandom(...words)
      return [random.unit(), random.unit(), random.whole(1, 1_000_000)]
    }
    expect(numbersOf(1, 2)).to.deep.equal(numbersOf(1, 2))
    const others = [[1, 2], [2, 1], [1], [1, 2, 0]].map((words) => String(numbersOf(...words)))
    expect(new Set(others)).to.have.lengthOf(4)
    expect(mix(2 ** 32 + 5)).to.equal(mix(5))
    expect(mixTwo(1, 2)).to.not.equal(mixTwo(2, 1))
  })

  it('give a chance with the numbers strictly below it', () => {
    const unit = createRandom(7).unit()
    expect(createRandom(7).chance(unit)).to.equal(false)
    expect(createRandom(7).chance(unit + 2 ** -32)).to.equal(true)
  })

  it('reach both ends of whole numbers and all items, equally often', () => {
    const random = createRandom(3)
    const counts = new Map<number, number>()
    for (let left = 4000; left > 0; left--) {
      for (const number of [random.whole(-1, 2), random.pick([10, 11, 12, 13])])
        counts.set(number, (counts.get(number) ?? 0) + 1)
    }
    expect([...counts.keys()].sort((left, right) => left - right)).to.deep.equal([-1, 0, 1, 2, 10, 11, 12, 13])
    for (const count of counts.values()) expect(count).to.be.within(900, 1100)
  })

  it('follow their distributions', () => {
    const random = createRandom(4)
    const manyOf = (draw: () => number) => Array.from({ length: 8000 }, draw).sort((left, right) => left - right)
    const shareAbove = (numbers: readonly number[], limit: number) =>
      numbers.filter((each) => each > limit).length / numbers.length
    expect(
      shareAbove(
        manyOf(() => random.exponential(5)),
        5,
      ),
    ).to.be.closeTo(Math.exp(-1), 0.02)
    const normal = manyOf(() => random.logNormal(10, 0.5))
    expect(shareAbove(normal, 10)).to.be.closeTo(0.5, 0.02)
    expect(shareAbove(normal, 10 * Math.exp(0.5))).to.be.closeTo(0.159, 0.02)
    const pareto = manyOf(() => random.pareto(2, 1.5))
    expect(pareto[0]).to.be.within(2, 2.01)
    expect(shareAbove(pareto, 8)).to.be.closeTo(4 ** -1.5, 0.02)
  })

  it('put the same items in another order', () => {
    const items = Array.from({ length: 20 }, (_, index) => index)
    const mixed = shuffled(items, createRandom(5))
    expect(mixed).to.not.deep.equal(items)
    expect([...mixed].sort((left, right) => left - right)).to.deep.equal(items)
  })
})
