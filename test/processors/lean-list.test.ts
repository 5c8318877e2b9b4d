import { expect } from 'chai'
import { keptOf, noItems, withItem } from '../../processors/lean-list.ts'
import { bytesOf } from '../support/bytes-of.ts'
import { compactedPoints, type makers, pushedPoints } from './measured-lists.ts'

const url = new URL('measured-lists.ts', import.meta.url)

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

  it('reserves no memory for more items', async () => {
    const bytes = await bytesOf<keyof typeof makers>(url)
    for (const name of ['with an item', 'with its first item', 'of the kept items'] as const)
      expect(bytes[name], name).to.be.below(bytes['two items'] + 16)
    // A list that reserves some is seen by the same measurement.
    expect(bytes.spread).to.be.below(bytes['spread and filtered'] - 64)
  })
})

describe('the points of a market', () => {
  it('are the same after their spare memory was freed', () => {
    expect(compactedPoints()).to.deep.equal(pushedPoints())
  })

  it('take less memory after it was freed', async () => {
    const bytes = await bytesOf<keyof typeof makers>(url)
    expect(bytes['compact points']).to.be.below(bytes.points - 128)
  })
})
