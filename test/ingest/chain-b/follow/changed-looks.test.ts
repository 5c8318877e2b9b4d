/** Tests a node of chain B that returns different branches in different requests. */
import { expect } from 'chai'
import { pino } from 'pino'
import { createReserveMemory } from '../../../../ingest/chain-b/follow/reserve-memory.ts'
import { createRpcSource } from '../../../../ingest/chain-b/follow/rpc-source.ts'
import type { ChainBReader } from '../../../../ingest/chain-b/node/reader.ts'
import type { ChainBRange } from '../../../../ingest/chain-b/types.ts'
import { nobodyCalled } from '../../../../ingest/followed-tokens.ts'
import { buildBlock, hashOf } from './build.ts'

const logger = pino({ level: 'silent' })

/** The slots in the log, all on branch 1. Other branches separate from branch 1 at slot 98. */
const inLog = [97, 99, 100, 101, 102]
const forkSlot = 98
const lastSlot = 102
const headSlot = 104

type Look = Readonly<{ kind: 'block' | 'slots'; slot: number; branch: number }>

/** Chooses the branch from which the node answers a request. `before` are all earlier requests. */
type BranchOf = (look: Omit<Look, 'branch'>, before: readonly Look[]) => number

/**
 * Returns the first `count` ranges of a source that reads one block at a time. Each is given as its first
 * reverted slot, its first slot and the hash of its last block. `forgotten` counts how often the source
 * forgot the reserves of the curves.
 */
async function rangesOf(branchOf: BranchOf, count: number) {
  const looks: Look[] = []
  let forgotten = 0
  const memory = createReserveMemory()
  const beginAnew = () => {
    forgotten++
    memory.beginAnew()
  }
  const branchAt = (look: Omit<Look, 'branch'>) => {
    const branch = branchOf(look, looks)
    looks.push({ ...look, branch })
    return branch
  }
  const hashAt = (slot: number, branch: number) => hashOf(slot, slot >= forkSlot ? branch : 1)
  const blockAt = (slot: number, branch: number) =>
    buildBlock(slot, { hash: hashAt(slot, branch), parentHash: hashAt(slot - 1, branch) })
  const source = createRpcSource({
    reader: {
      headSlot: async () => headSlot,
      block: async (slot: number) => blockAt(slot, branchAt({ kind: 'block', slot })),
    } as Partial<ChainBReader> as ChainBReader,
    slots: {
      blockCountMax: 1,
      run: async () => {},
      forget: () => {},
      read: async ({ fromSlot }) => [
        { block: blockAt(fromSlot, branchAt({ kind: 'slots', slot: fromSlot })), transactions: [] },
      ],
    },
    findCurves: async () => new Map(),
    reserves: { ...memory, beginAnew },
    ...{ lookBackSlots: 0, pollMs: 1, logger, delay: async () => {} },
  })
  const blocks = inLog.map((slot) => ({ number: slot, hash: hashOf(slot, 1), atMs: slot * 400 }))
  const known = {
    book: { mints: new Map(), pools: new Map(), followed: nobodyCalled },
    blocksFrom: async () => blocks,
  } as unknown as Parameters<typeof source.ranges>[1]
  const ranges: Pick<ChainBRange, 'revertedFrom' | 'fromBlock' | 'head'>[] = []
  for await (const range of source.ranges(blocks.at(-1) ?? null, known, new AbortController().signal)) {
    ranges.push(range)
    if (ranges.length === count) break
  }
  const told = ranges.map(({ revertedFrom, fromBlock, head }) => [revertedFrom, fromBlock, head.hash])
  return { looks, forgotten, told }
}

describe('a branch of chain B that a node gives at one look only', () => {
  it('reverts nothing when the slots are of it and the last block is not', async () => {
    const branchOf: BranchOf = ({ kind }, before) => (kind === 'slots' && before.length === 0 ? 2 : 1)
    const { told, forgotten } = await rangesOf(branchOf, 2)
    expect(told).to.deep.equal([
      [undefined, 103, hashOf(103, 1)],
      [undefined, 104, hashOf(104, 1)],
    ])
    expect(forgotten).to.equal(0)
  })

  for (const looks of [1, 2])
    it(`reverts nothing when the last block is of it at ${looks} of 3 looks`, async () => {
      const branchOf: BranchOf = (_look, before) => (before.length <= looks ? 2 : 1)
      const { told, forgotten } = await rangesOf(branchOf, 1)
      expect(told).to.deep.equal([[undefined, 103, hashOf(103, 1)]])
      expect(forgotten).to.equal(0)
    })

  it('reverts nothing when the last block is of it at 3 of 3 looks, and is back at the search in the log', async () => {
    const branchOf: BranchOf = (_look, before) => (before.length <= 3 ? 2 : 1)
    const { told, forgotten } = await rangesOf(branchOf, 1)
    expect(told).to.deep.equal([[undefined, 103, hashOf(103, 1)]])
    expect(forgotten).to.equal(0)
  })

  /**
   *   The numbers in the rows are branches. After slot 100 of the first read, the node leaves branch 2.
   *   slot          97   98   99  100  101  102
   *   in the log     1         1    1    1    1
   *   first read     1    2    2    2
   *   second read    1    3    3    3    3    3
   */
  it('is not told in part when another one replaces it during the read', async () => {
    const isLeft = (before: readonly Look[]) => before.some(({ kind, slot }) => kind === 'slots' && slot === 100)
    const branchOf: BranchOf = (_look, before) => (isLeft(before) ? 3 : 2)
    const { told, looks } = await rangesOf(branchOf, 1)
    expect(told).to.deep.equal([[98, 98, hashOf(lastSlot, 3)]])
    const read = looks.flatMap(({ kind, slot, branch }) =>
      kind === 'slots' && slot <= lastSlot ? [[slot, branch]] : [],
    )
    expect(read.slice(-5), 'the slots of the range').to.deep.equal([98, 99, 100, 101, 102].map((slot) => [slot, 3]))
  })
})
