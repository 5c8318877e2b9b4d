import { expect } from 'chai'
import { type SliceLimits, splitRange } from '../../ingest/split-range.ts'
import { toyAtMs, toyStage } from './toy-chain.ts'

const head = { number: 99, hash: '0x' as const, atMs: toyAtMs(99) }
const none = Number.POSITIVE_INFINITY

/**
 * Splits a range with the given number of facts in each slot. Each fact is ten bytes long. Returns each slice
 * as the slot of its head and its number of facts.
 */
function slicesOf(counts: Readonly<Record<number, number>>, limits: Partial<SliceLimits>) {
  const facts = Object.entries(counts).flatMap(([slot, count]) =>
    Array.from({ length: count }, (_, step) => ({
      key: 'ada',
      fact: {
        type: 'Deposited' as const,
        data: { account: 'ada', slot: Number(slot), slotAtMs: toyAtMs(Number(slot)), step },
      },
    })),
  )
  const slices = splitRange(
    { head, facts },
    { stage: toyStage, encode: () => Buffer.alloc(10), limits: { factCountMax: none, bytesMax: none, ...limits } },
  )
  for (const slice of slices.slice(0, -1)) expect(slice.head.atMs).to.equal(toyAtMs(slice.head.number))
  expect(slices.flatMap((slice) => slice.facts.map(({ fact }) => fact))).to.deep.equal(facts.map(({ fact }) => fact))
  return slices.map((slice) => [slice.head.number, slice.facts.length])
}

describe('a range that is too much for one tick', () => {
  const cases: [string, Readonly<Record<number, number>>, Partial<SliceLimits>, number[][]][] = [
    ['is one slice without limits', { 1: 5, 2: 5 }, {}, [[99, 10]]],
    ['is one slice without facts', {}, { factCountMax: 1 }, [[99, 0]]],
    ['is one slice of exactly as many facts', { 1: 5, 2: 5 }, { factCountMax: 10 }, [[99, 10]]],
    [
      'is cut before the block that is too much',
      { 1: 5, 2: 5 },
      { factCountMax: 9 },
      [
        [1, 5],
        [99, 5],
      ],
    ],
    [
      'is cut again where the next slice is full',
      { 1: 3, 2: 3, 3: 3, 7: 3, 8: 3 },
      { factCountMax: 6 },
      [
        [2, 6],
        [7, 6],
        [99, 3],
      ],
    ],
    [
      'is not cut inside a block, however large',
      { 1: 1, 2: 20, 3: 1 },
      { factCountMax: 5 },
      [
        [1, 1],
        [2, 20],
        [99, 1],
      ],
    ],
    ['is not cut before a first block that is too large', { 1: 20 }, { factCountMax: 5 }, [[99, 20]]],
    ['is one slice of exactly as many bytes', { 1: 5, 2: 5 }, { bytesMax: 100 }, [[99, 10]]],
    [
      'is cut by bytes, counted anew in each slice',
      { 1: 5, 2: 5, 3: 4 },
      { bytesMax: 99 },
      [
        [1, 5],
        [99, 9],
      ],
    ],
  ]
  for (const [what, counts, limits, expected] of cases)
    it(what, () => {
      expect(slicesOf(counts, limits)).to.deep.equal(expected)
    })
})
