import { expect } from 'chai'
import { createBlockGaps } from '../../../infra/replay/block-gaps.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'

describe('gaps between blocks', () => {
  type Told = readonly [knownAt: number, block: number, hash?: `0x${string}`]
  const tickOf = ([knownAt, block, hash = '0x1']: Told) =>
    buildTick({ knownAtMs: second(knownAt), blockNumber: block, blockHash: hash, blockAtMs: second(block) })
  const gapsOf = (told: readonly Told[], to: number) => {
    const gaps = createBlockGaps(second(0))
    for (const one of told) gaps.note(tickOf(one))
    return gaps.until(second(to))
  }
  const gap = (from: number, to: number) => ({ from: second(from), to: second(to) })
  const repeated = (block: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, index): Told => [from + index, block])

  const table: readonly (readonly [what: string, told: readonly Told[], to: number, expected: readonly object[]])[] = [
    ['blocks of each second', [...Array(90).keys()].map((at): Told => [at, at]), 90, []],
    ['just a minute without a block', [[0, 1], ...repeated(1, 1, 60), [60, 2]], 60, []],
    [
      'a longer time, in which only the last tick was repeated',
      [[0, 1], ...repeated(1, 1, 61), [61, 2]],
      61,
      [gap(0, 61)],
    ],
    [
      'a longer time without ticks',
      [
        [0, 1],
        [61, 2],
      ],
      61,
      [gap(0, 61)],
    ],
    ['the start of the range, which no tick begins', [[61, 1]], 62, [gap(0, 61)]],
    ['a time that goes on at the end', [[1, 1], ...repeated(1, 2, 70)], 70, [gap(1, 70)]],
    ['no tick at all', [], 61, [gap(0, 61)]],
    ['another block at the same height, which is new', [[0, 1], ...repeated(1, 1, 40), [40, 1, '0x2']], 90, []],
    ['two gaps', [[0, 1], ...repeated(1, 1, 70), [70, 2], [140, 3]], 141, [gap(0, 70), gap(70, 140)]],
  ]
  for (const [what, told, to, expected] of table)
    it(`tell of ${what}`, () => {
      expect(gapsOf(told, to)).to.deep.equal(expected)
    })
})
