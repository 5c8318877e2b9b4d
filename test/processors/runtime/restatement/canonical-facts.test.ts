import { expect } from 'chai'
import { isCanonical } from '../../../../processors/runtime/restatement/canonical-facts.ts'

describe('living facts', () => {
  // `T` is a tick. The ticks at offsets 6 and 7 each report a reorg from block 11 on.
  //   offset   0   1   2 │  3   4 │  5   6 │  7
  //   block   10  11 T11 │ 12 T12 │ 11 T11 │ T10
  //   reorg                             ^     ^
  // The second reorg brings no new facts of block 11.
  const first = { revertedFrom: 11, fromOffset: 5 }
  const second = { revertedFrom: 11, fromOffset: 7 }

  it('are those before the first block of the reorg, and those of its own append', () => {
    expect(isCanonical([first], 0, 10)).to.equal(true)
    expect(isCanonical([first], 1, 11)).to.equal(false)
    expect(isCanonical([first], 3, 12)).to.equal(false)
    expect(isCanonical([first], 5, 11)).to.equal(true)
  })

  it('are invalidated by each later reorg', () => {
    expect(isCanonical([first, second], 5, 11)).to.equal(false)
    expect(isCanonical([first, second], 0, 10)).to.equal(true)
  })

  it('stay invalid when the reorg that did it is invalidated itself', () => {
    expect(isCanonical([first, { revertedFrom: 12, fromOffset: 7 }], 1, 11)).to.equal(false)
  })
})
