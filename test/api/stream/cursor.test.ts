import { expect } from 'chai'
import fc from 'fast-check'
import { createCursorText, createStreamCursor, parseCursor, placesOf } from '../../../api/stream/cursor.ts'
import { pushedChains } from '../../support/pushed-chains.ts'

const stages = pushedChains.map(({ stage }) => stage)
const [chainA] = stages
const write = createCursorText(stages)
const cursors = fc.array(fc.maxSafeNat(), { minLength: 8, maxLength: 8 })

describe('a cursor', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        expect(parseCursor(write(cursor), stages)).to.deep.equal(cursor)
      }),
    )
  })

  it('is the text of a cursor that was moved to the same offsets', () => {
    fc.assert(
      fc.property(cursors, (offsets) => {
        const cursor = createStreamCursor(stages)
        for (const [index, place] of placesOf(stages).entries()) cursor.advance(place, offsets[index] ?? 0)
        expect(cursor.text()).to.equal(write(offsets))
      }),
    )
  })

  it('has a dot between partitions, a dash between stages, and offsets in base 36', () => {
    expect(write([0, 35, 36, 1295, 1296, 0, 0, 7])).to.equal('0.z.10.zz-100.0.0.7')
  })

  it('is nothing else: of other partitions or stages, without an offset, with other digits, or too long', () => {
    const good = '1.2.3.4-5.6.7.8'
    expect(parseCursor(good, stages)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8])
    const bad = [
      ...['', '...-...', '1.2.3.-5.6.7.8', '1.2.3-5.6.7.8', '1.2.3.4.9-5.6.7.8', '1.2.3.4', '1.2.3.4-5.6.7.8-9'],
      ...['01.2.3.4-5.6.7.8', 'A.2.3.4-5.6.7.8', '-1.2.3.4-5.6.7.8', '1.2.3.4-5.6.7.8 ', '1.2.3.4-5.6.7.8\n'],
      // One more than the largest safe integer.
      ...[`${(2 ** 53).toString(36)}.2.3.4-5.6.7.8`, `${'1'.repeat(12)}.2.3.4-5.6.7.8`, `${good}${'0'.repeat(1e6)}`],
    ]
    for (const text of bad) expect(parseCursor(text, stages), text.slice(0, 40)).to.equal(null)
    expect(parseCursor('1.2.3.4', chainA ? [chainA] : [])).to.deep.equal([1, 2, 3, 4])
  })
})
