import { expect } from 'chai'
import fc from 'fast-check'
import { sortFew } from '../../processors/sort-few.ts'

describe('sortFew', () => {
  it('sorts as the runtime does: equal ones stay in their order', () => {
    const item = fc.record({ rank: fc.nat(5), name: fc.nat() })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 150, size: 'max' }), (items) => {
        const sorted = [...items]
        sortFew(sorted, (left, right) => left.rank < right.rank)
        expect(sorted).to.deep.equal([...items].sort((left, right) => left.rank - right.rank))
      }),
    )
  })
})
