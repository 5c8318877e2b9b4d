import { expect } from 'chai'
import { keptOf, noItems, withItem } from '../../processors/lean-list.ts'
import { compactPoints, noPoints, pushPoint } from '../../processors/markets/points.ts'
import { bytesOf } from '../support/bytes-of.ts'

const item = { of: 'a token' }

describe('a lean list', () => {
  it('has the items of a list, without or with one more', () => {
    expect(withItem(noItems, 1)).to.deep.equal([1])
    expect(withItem([1, 2], 3)).to.deep.equal([1, 2, 3])
    expect(keptOf([1, 2, 3], (one) => one !== 2)).to.deep.equal([1, 3])
    const list = [1, 2]
    expect(keptOf(list, () => true)).to.deep.equal([1, 2])
    expect(list).to.deep.equal([1, 2])
  })

  it('adds a list as one item', () => {
    expect(withItem<number[]>([], [1, 2])).to.deep.equal([[1, 2]])
  })

  it('is always the same one if it is empty', () => {
    expect(keptOf([1], () => false)).to.equal(noItems)
    expect(noItems).to.deep.equal([])
  })

  const two = [item, item]
  const made: Readonly<Record<string, () => unknown>> = {
    'with an item': () => withItem([item], item),
    'with its first item': () => withItem<object>(noItems, item),
    'of the kept items': () => keptOf(two, () => true),
  }
  for (const [name, make] of Object.entries(made))
    it(`reserves no memory for more items: ${name}`, () => {
      expect(bytesOf(make)).to.be.below(bytesOf(() => [item, item]) + 16)
      // A list that reserves some is seen by the same measurement.
      expect(bytesOf(() => [...two])).to.be.below(bytesOf(() => [...two, item].filter(() => true)) - 64)
    })
})

describe('the points of a market', () => {
  const pushed = () => {
    const points = noPoints()
    for (const atMs of [1000, 2000, 3000]) pushPoint(points, atMs, 0.5)
    return points
  }

  it('are the same after their spare memory was freed', () => {
    const points = pushed()
    compactPoints(points)
    expect(points).to.deep.equal(pushed())
    const compacted = () => {
      const its = pushed()
      compactPoints(its)
      return its
    }
    expect(bytesOf(compacted)).to.be.below(bytesOf(pushed) - 128)
  })
})
