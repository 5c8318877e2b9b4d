import { expect } from 'chai'
import { keepRows } from '../../projections/kept-rows.ts'
import { medianOrNull } from '../../projections/median.ts'

describe('rows of answers', () => {
  it('are the same object for the same table rows and computed values', () => {
    const toRow = keepRows((selected: Readonly<{ id: number }>, count: number | null) => ({ ...selected, count }))
    const selected = { id: 1 }
    const first = toRow(selected, 2)
    expect(first).to.deep.equal({ id: 1, count: 2 })
    expect(toRow(selected, 2)).to.equal(first)
    expect(toRow(selected, null)).to.deep.equal({ id: 1, count: null })
    expect(toRow(selected, 2), 'only the last one is kept').not.to.equal(first)
    expect(toRow({ id: 1 }, 2)).not.to.equal(toRow(selected, 2))
  })
})

describe('the median of an answer', () => {
  for (const { values, median } of [
    { values: [], median: null },
    { values: [3], median: 3 },
    { values: [10, 2], median: 6 },
    { values: [10, 9, -1], median: 9 },
    { values: [4, 1, 3, 2], median: 2.5 },
  ])
    it(`of ${values.join(', ') || 'nothing'} is ${median}`, () => {
      expect(medianOrNull(values)).to.equal(median)
    })
})
