import { expect } from 'chai'
import fc from 'fast-check'
import { createTimeline } from '../../../ingest/simulated/timeline.ts'

type Item = { at: number; readonly rank: number }

const timelineOf = (items: readonly Item[]) => {
  const timeline = createTimeline<Item>(({ at, rank }) => [at, rank])
  items.forEach(timeline.add)
  return timeline
}

const inOrder = (items: readonly Item[]) =>
  [...items].sort((left, right) => left.at - right.at || left.rank - right.rank)

const itemsArbitrary = fc
  .array(fc.nat(9), { maxLength: 40 })
  .chain((callTimes) =>
    fc
      .shuffledSubarray([...callTimes.keys()], { minLength: callTimes.length })
      .map((ranks) => callTimes.map((at, index): Item => ({ at, rank: ranks[index] ?? 0 }))),
  )

describe('a timeline', () => {
  it('gives its items by moment and rank, whatever the order in which they came', () => {
    fc.assert(
      fc.property(itemsArbitrary, (items) => {
        const timeline = timelineOf(items)
        const given: Item[] = []
        for (let first = timeline.first(); first; first = timeline.first()) {
          given.push(first)
          timeline.removeFirst()
        }
        expect(given).to.deep.equal(inOrder(items))
      }),
    )
  })

  it('moves its first item behind the items that come before the new moment', () => {
    fc.assert(
      fc.property(itemsArbitrary, fc.array(fc.nat(5), { maxLength: 40 }), (items, delays) => {
        const left = items.map((item) => ({ ...item }))
        const timeline = timelineOf(left)
        for (const delay of delays) {
          const [expected] = inOrder(left)
          expect(timeline.first()).to.equal(expected)
          if (expected) expected.at += delay
          timeline.moveFirst()
        }
        expect(timeline.first()).to.equal(inOrder(left)[0])
      }),
    )
  })

  it('is empty without items, and stays empty', () => {
    const timeline = timelineOf([])
    timeline.moveFirst()
    timeline.removeFirst()
    expect(timeline.first()).to.equal(undefined)
    const item = { at: 1, rank: 0 }
    timeline.add(item)
    expect(timeline.first()).to.equal(item)
    timeline.removeFirst()
    expect(timeline.first()).to.equal(undefined)
  })
})
