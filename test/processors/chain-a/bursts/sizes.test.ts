import { expect } from 'chai'
import { classifyShape, measureSizes } from '../../../../processors/chain-a/bursts/sizes.ts'
import { chainANumbers } from '../../../../schemas/chain-a/numbers.ts'

const shapeOf = (...sizesWei: readonly bigint[]) => classifyShape('v4', measureSizes(sizesWei), chainANumbers.bursts)

describe('buy sizes', () => {
  it('are identical only to the wei', () => {
    const size = 10n ** 20n
    expect(measureSizes([size, size + 1n, size, size - 1n]).sameSizeMax).to.equal(2)
  })

  it('give a deviation of the whole population, over the mean', () => {
    expect(measureSizes([2n, 4n, 4n, 4n, 5n, 5n, 7n, 9n]).sizeCv).to.equal(2 / 5)
  })

  it('are compared exactly, where doubles are the same', () => {
    const size = 10n ** 30n
    const { top3Wei } = measureSizes([size, size + 1n, size + 2n, size + 3n])
    expect(top3Wei).to.equal(3n * size + 6n)
  })

  it('of one size deviate by nothing', () => expect(measureSizes([7n, 7n, 7n]).sizeCv).to.equal(0))

  it('give the three largest their share', () => {
    expect(measureSizes([10n, 1n, 30n, 1n, 20n, 38n]).top3Share).to.equal(0.88)
    expect(measureSizes([3n, 1n]).top3Share).to.equal(1)
  })
})

describe('burst shapes', () => {
  it('is scripted from five identical buys on', () => {
    expect(shapeOf(5n, 5n, 5n, 5n, 5n, 900n)).to.equal('scripted')
    expect(shapeOf(5n, 5n, 5n, 5n, 900n)).to.equal('other')
  })

  it('is spread only while the three largest are under half, by one wei', () => {
    const largest = [6n, 5n, 4n]
    const rest = [3n, 3n, 3n, 3n, 2n]
    expect(shapeOf(...largest, ...rest, 1n)).to.equal('other')
    expect(shapeOf(...largest, ...rest, 1n, 1n)).to.equal('spread')
  })

  it('is v3 on v3, whatever the sizes', () => {
    expect(classifyShape('v3', measureSizes([5n, 5n, 5n, 5n, 5n]), chainANumbers.bursts)).to.equal('v3')
  })
})
