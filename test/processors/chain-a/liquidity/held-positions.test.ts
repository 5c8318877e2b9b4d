import { expect } from 'chai'
import fc from 'fast-check'
import {
  countOf,
  type HeldPositions,
  noPositions,
  type Position,
  positionOf,
  withoutPosition,
  withPosition,
} from '../../../../processors/chain-a/liquidity/held-positions.ts'

const build = (key: string): Position => ({ key, positionId: null, liquidity: 1n, owner: null })

const hold = (count: number): HeldPositions =>
  Array.from({ length: count }, (_, key) => build(String(key))).reduce(withPosition, noPositions)

describe('the positions of a pool', () => {
  it('are found and listed as in a map, however many they are', () => {
    const forms = { list: 0, map: 0 }
    const change = fc.record({ key: fc.nat({ max: 30 }).map(String), isAdded: fc.boolean() })
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.array(change, { maxLength: 60 }), (count, changes) => {
        const expected = new Map([...hold(count).values()].map((position) => [position.key, position]))
        let held = hold(count)
        for (const { key, isAdded } of changes) {
          if (!isAdded) {
            held = withoutPosition(held, key)
            expected.delete(key)
          } else if (positionOf(held, key) === undefined) {
            const position = build(key)
            held = withPosition(held, position)
            expected.set(key, position)
          }
          expect([...held.values()].map((its) => its.key)).to.deep.equal([...expected.keys()])
          expect(positionOf(held, key)?.key).to.equal(expected.get(key)?.key)
          expect(countOf(held)).to.equal(expected.size)
        }
        forms[held instanceof Map ? 'map' : 'list']++
      }),
    )
    expect(forms.list).to.be.above(0)
    expect(forms.map).to.be.above(0)
  })

  it('are a list of up to 15, so that a pool takes little memory, and then a map, so that each is found at once', () => {
    expect([0, 1, 15, 16, 100].map((count) => hold(count) instanceof Map)).to.deep.equal([
      false,
      false,
      false,
      true,
      true,
    ])
  })

  it('leave the list of a pool as it was, because it may be in the states of others', () => {
    const one = hold(1)
    const two = withPosition(one, build('1'))
    expect([countOf(one), countOf(two), countOf(withoutPosition(two, '0')), countOf(two)]).to.deep.equal([1, 2, 1, 2])
    expect(withoutPosition(one, '0')).to.equal(noPositions)
  })
})
