import { expect } from 'chai'
import { type LastBlock, linkOf, withRisingTimes } from '../../../../ingest/chain-b/follow/links.ts'
import { afterFailure, afterRange, startPace, waitMsAfter } from '../../../../ingest/chain-b/follow/pace.ts'
import type { NodeBlock } from '../../../../ingest/chain-b/node/reader.ts'
import { buildBlock, hashOf, lastAt } from './build.ts'

const codeOf = (blocks: readonly NodeBlock[], last: LastBlock): string => {
  try {
    return linkOf(blocks, last)
  } catch (error) {
    return (error as Readonly<{ code: string }>).code
  }
}

describe('a chain of blocks', () => {
  const skipping = buildBlock(105, { parentSlot: 101 })
  const chains: readonly (readonly [string, readonly NodeBlock[], LastBlock, string])[] = [
    ['follows its parent', [buildBlock(101), buildBlock(102)], lastAt(100), 'follows'],
    ['follows over slots without a block', [buildBlock(101), skipping], lastAt(100), 'follows'],
    ['follows nothing at the start', [buildBlock(101)], { number: 90, hash: null, atMs: 0 }, 'follows'],
    ['follows when there is none yet', [], lastAt(100), 'follows'],
    ['has left a block of another hash', [buildBlock(101)], lastAt(100, 1), 'replaced'],
    ['has left a block of a slot that has none now', [buildBlock(101, { parentSlot: 99 })], lastAt(100), 'replaced'],
    ['has a gap behind the last block', [buildBlock(103, { parentSlot: 102 })], lastAt(100), 'node_inconsistent'],
    ['has a gap inside', [buildBlock(101), buildBlock(103)], lastAt(100), 'node_inconsistent'],
    [
      'changes its branch inside',
      [buildBlock(101), buildBlock(102, { parentHash: hashOf(101, 1) })],
      lastAt(100),
      'node_inconsistent',
    ],
  ]
  for (const [name, blocks, last, link] of chains)
    it(name, () => {
      expect(codeOf(blocks, last)).to.equal(link)
    })

  it('never goes back in time', () => {
    const times = [5, 3, 9].map((atMs, index) => ({ block: buildBlock(101 + index, { atMs }), transactions: [] }))
    expect(withRisingTimes(times, 4).map(({ block }) => block.atMs)).to.deep.equal([5, 5, 9])
  })
})

describe('the pace of reading', () => {
  it('halves after each failure with growing waits, and doubles after each range up to where it began', () => {
    let pace = startPace(10)
    const waits: number[] = []
    for (let failure = 0; failure < 8; failure++) {
      pace = afterFailure(pace)
      waits.push(waitMsAfter(pace))
    }
    expect(pace.blockCount).to.equal(1)
    expect(waits).to.deep.equal([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
    const counts = Array.from({ length: 5 }, () => {
      pace = afterRange(pace)
      return pace.blockCount
    })
    expect(counts).to.deep.equal([2, 4, 8, 10, 10])
    expect(waitMsAfter(afterFailure(pace))).to.equal(500)
  })
})
