/**
 * Measures how late the flow of a pool is. The measured time begins at the block of a swap and ends when
 * answers show the swap.
 */
import { expect } from 'chai'
import { presetBlocks } from '../../ingest/chain-a/presets.ts'
import { minutes } from '../../processors/chain-a/minutes/processor.ts'
import { pools } from '../../processors/chain-a/pools/processor.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { buildPoolCreated, buildSwap, testStartAtMs, testToken } from '../support/builders/build-facts.ts'
import { createRandom } from '../support/chain-a-node/random.ts'

/** The longest delay from a swap to an answer that shows it, as the API promises. In milliseconds. */
const behindMsMax = 30_000

/** The longest time of each step with the default configuration. */
const steps = {
  /** The longest time from the slot of a block until the node has the block. A block may be produced late, too. */
  arrivalMs: 4000,
  pollMs: 500,
  /**
   * The time for the requests for the blocks, the append of their facts, the stage, and the writes to the
   * tables.
   */
  workMs: 1000,
  /** The time for which the newest cut time is cached. */
  refreshMs: 250,
} as const

type Pace = Readonly<{ blockMs: number; lagBlocks: number }>

/**
 * `knownMs`: from a block to its tick. `toldMs`: from the tick to a published minute that contains the swaps.
 * `shownMs`: from the block to an answer that contains the swaps.
 */
type Delays = Readonly<{ knownMs: number; toldMs: number; shownMs: number }>

/**
 * Returns the longest delays of any swap. Each block has its own tick, and ingest reads a block only when
 * `lagBlocks` more blocks exist.
 */
function delaysOf({ blockMs, lagBlocks }: Pace, hasSwap: (block: number) => boolean): Delays {
  const driver = createTestDriver({ stage: chainAStage, processors: [pools, minutes] })
  driver.fact(testToken, buildPoolCreated({ blockAtMs: testStartAtMs, blockNumber: 0 }))
  const knownMs = lagBlocks * blockMs + steps.arrivalMs + steps.pollMs + steps.workMs
  const waiting: number[] = []
  let toldMs = 0
  const blockCount = Math.max(50, Math.ceil(300_000 / blockMs))
  for (let block = 1; block <= blockCount; block++) {
    const atMs = testStartAtMs + block * blockMs
    if (hasSwap(block)) {
      driver.fact(testToken, buildSwap({ blockAtMs: atMs, blockNumber: block, ethWei: 1n }))
      waiting.push(atMs)
    }
    for (const { record } of driver.tick(atMs)) {
      if (record.type !== 'PoolMinute') continue
      while (waiting[0] !== undefined && waiting[0] <= (record.data.lastSwapAtMs ?? 0))
        toldMs = Math.max(toldMs, atMs - (waiting.shift() as number))
    }
  }
  const endMs = testStartAtMs + blockCount * blockMs
  for (const atMs of waiting) toldMs = Math.max(toldMs, endMs - atMs)
  return { knownMs, toldMs, shownMs: knownMs + toldMs + steps.refreshMs }
}

/**
 * Four patterns of swaps: in every block, in every second block, in about 60 % of the blocks and in about 10
 * %.
 */
const busyness = () => {
  const random = createRandom(5)
  return [() => true, (block: number) => block % 2 === 0, () => random() < 0.6, () => random() < 0.1]
}

const worstOf = (pace: Pace): Delays => {
  const all = busyness().map((hasSwap) => delaysOf(pace, hasSwap))
  const worst = (name: keyof Delays) => Math.max(...all.map((delays) => delays[name]))
  return { knownMs: worst('knownMs'), toldMs: worst('toldMs'), shownMs: worst('shownMs') }
}

const sec = (ms: number) => Number((ms / 1000).toFixed(2))

/**
 * Returns the largest `lagBlocks` that keeps the limit, at most 3. Returns -1 if none does. Most presets have
 * 3.
 */
const lagBlocksMax = (blockMs: number): number =>
  [3, 2, 1, 0].find((lagBlocks) => worstOf({ blockMs, lagBlocks }).shownMs <= behindMsMax) ?? -1

describe('the swaps of a known block', () => {
  it('are shown within 30 s of the block on the chain of every preset', () => {
    const table = Object.entries(presetBlocks).map(([preset, pace]) => {
      const { knownMs, toldMs, shownMs } = worstOf(pace)
      expect(shownMs, preset).to.be.at.most(behindMsMax)
      return [preset, sec(pace.blockMs), pace.lagBlocks, sec(knownMs), sec(toldMs), sec(shownMs)]
    })
    expect(table).to.deep.equal([
      // Columns: `preset`, `blockMs` in seconds, `lagBlocks`, `knownMs`, `toldMs` and `shownMs` in seconds.
      ['robinhood', 0.1, 3, 5.8, 10, 16.05],
      ['base', 2, 3, 11.5, 10, 21.75],
      ['unichain', 1, 3, 8.5, 10, 18.75],
      ['arbitrum', 0.25, 3, 6.25, 10, 16.5],
      ['ethereum', 12, 1, 17.5, 0, 17.75],
    ])
  })

  it('wait ten seconds behind their tick at most, however far apart blocks are', () => {
    const seconds = [0.1, 0.5, 1, 2, 3, 4, 5, 6, 7, 9, 9.9, 10, 12, 15, 20, 24, 30, 45, 60]
    const table = seconds.map((blockSec) => {
      const blockMs = blockSec * 1000
      const lagBlocks = lagBlocksMax(blockMs)
      const { toldMs, shownMs } = worstOf({ blockMs, lagBlocks })
      expect(toldMs).to.be.at.most(10_000)
      return [blockSec, sec(toldMs), lagBlocks, sec(shownMs)]
    })
    expect(table).to.deep.equal([
      // Columns: `blockSec`, `toldMs` in seconds, `lagBlocks`, `shownMs` in seconds.
      [0.1, 10, 3, 16.05],
      [0.5, 10, 3, 17.25],
      [1, 10, 3, 18.75],
      [2, 10, 3, 21.75],
      [3, 9, 3, 23.75],
      [4, 8, 3, 25.75],
      [5, 10, 2, 25.75],
      [6, 6, 3, 29.75],
      [7, 7, 2, 26.75],
      [9, 9, 1, 23.75],
      [9.9, 9.9, 1, 25.55],
      [10, 0, 2, 25.75],
      [12, 0, 2, 29.75],
      [15, 0, 1, 20.75],
      [20, 0, 1, 25.75],
      [24, 0, 1, 29.75],
      [30, 0, 0, 5.75],
      [45, 0, 0, 5.75],
      [60, 0, 0, 5.75],
    ])
  })
})
