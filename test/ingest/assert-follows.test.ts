import { expect } from 'chai'
import { assertFollows } from '../../ingest/assert-follows.ts'
import { buildToyRange, type ToyRange, toyAtMs, toyDefinition } from './toy-chain.ts'

const cursorAt = (number: number) => ({ number, hash: '0x' as const, atMs: toyAtMs(number) })

/** Returns a range of slots, with deposits at the given slots and steps. */
const rangeOf = (
  fromBlock: number,
  toBlock: number,
  places: readonly (readonly [number, number])[] = [],
): ToyRange => ({
  ...buildToyRange(toBlock),
  fromBlock,
  facts: places.map(([slot, step]) => ({
    key: 'ada',
    fact: { type: 'Deposited', data: { account: 'ada', slot, slotAtMs: toyAtMs(slot), step } },
  })),
})
const fallen = (range: ToyRange, atMs: number): ToyRange => ({ ...range, head: { ...range.head, atMs } })

describe('a range of blocks', () => {
  type Case = readonly [what: string, range: ToyRange, cursor: ReturnType<typeof cursorAt> | null]
  const taken: readonly Case[] = [
    ['the first one, from any block', rangeOf(7, 9), null],
    ['the next one', rangeOf(10, 12), cursorAt(9)],
    ['of a single block', rangeOf(10, 10, [[10, 0]]), cursorAt(9)],
    ['of the same time', fallen(rangeOf(10, 10), toyAtMs(9)), cursorAt(9)],
    [
      'with facts in order, at either end too',
      rangeOf(10, 12, [
        [10, 5],
        [10, 6],
        [12, 0],
      ]),
      cursorAt(9),
    ],
    ['that takes back the last block', { ...rangeOf(9, 9), revertedFrom: 9 }, cursorAt(9)],
    ['that takes back some, of an earlier time', { ...rangeOf(7, 7), revertedFrom: 7 }, cursorAt(9)],
  ]
  const refused: readonly Case[] = [
    ['that leaves a block out', rangeOf(11, 12), cursorAt(9)],
    ['that repeats a block', rangeOf(9, 12), cursorAt(9)],
    ['of an earlier time', fallen(rangeOf(10, 10), toyAtMs(9) - 1), cursorAt(9)],
    ['without a block', rangeOf(10, 9), cursorAt(9)],
    ['with a fact before it', rangeOf(10, 12, [[9, 0]]), cursorAt(9)],
    ['with a fact behind it', rangeOf(10, 12, [[13, 0]]), cursorAt(9)],
    [
      'with a fact twice',
      rangeOf(10, 12, [
        [10, 5],
        [10, 5],
      ]),
      cursorAt(9),
    ],
    [
      'with facts of a block the other way round',
      rangeOf(10, 12, [
        [10, 6],
        [10, 5],
      ]),
      cursorAt(9),
    ],
    [
      'with blocks the other way round',
      rangeOf(10, 12, [
        [11, 0],
        [10, 1],
      ]),
      cursorAt(9),
    ],
    ['that takes something back before anything was told', { ...rangeOf(7, 9), revertedFrom: 7 }, null],
    ['that takes back what was never told', { ...rangeOf(10, 12), revertedFrom: 10 }, cursorAt(9)],
    ['that takes back more than it replaces', { ...rangeOf(8, 9), revertedFrom: 7 }, cursorAt(9)],
    ['that replaces more than it takes back', { ...rangeOf(6, 9), revertedFrom: 7 }, cursorAt(9)],
  ]
  for (const [what, range, cursor] of taken)
    it(`is taken: ${what}`, () => {
      expect(() => assertFollows(toyDefinition, range, cursor)).to.not.throw()
    })
  for (const [what, range, cursor] of refused)
    it(`is refused: ${what}`, () => {
      const refusal = catchError(() => assertFollows(toyDefinition, range, cursor))
      expect(refusal).to.deep.include({ code: 'node_inconsistent', context: { isRetryable: true } })
    })
})

function catchError(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return null
}
