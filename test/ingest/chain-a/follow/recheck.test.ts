import { expect } from 'chai'
import { pino } from 'pino'
import { createCurveReader } from '../../../../ingest/chain-a/follow/curve-reader.ts'
import type { FollowDependencies } from '../../../../ingest/chain-a/follow/dependencies.ts'
import { createRecheck } from '../../../../ingest/chain-a/follow/recheck.ts'
import { createNode, type Node } from '../../../../ingest/chain-a/node/node.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { ChainARange } from '../../../../ingest/chain-a/types.ts'
import { knownOf } from '../../known-of.ts'
import { blockOf, type ChainDouble, hashOfBlock } from '../rpc-double.ts'

const chain: ChainDouble = { head: 9000, branchOf: () => 1 }
const contracts = chainAContracts('robinhood')
const blockAt = (number: number) => ({ number, hash: hashOfBlock(chain, number), atMs: number })

describe('the second reading of blocks', () => {
  let askedLogs: string[]
  let idsAskedFrom: number[]
  beforeEach(() => {
    askedLogs = []
    idsAskedFrom = []
  })
  const follower = (told: readonly number[], recheckBlocks: number): FollowDependencies => {
    const node: Node = {
      ...createNode({ urls: ['http://127.0.0.1:9'] }),
      request: async <Result>({ method, params }: { method: string; params: readonly unknown[] }) => {
        if (method !== 'eth_getLogs') return blockOf(chain, params[0] as string) as Result
        const { fromBlock, toBlock, address } = params[0] as Record<string, unknown>
        if (address) askedLogs.push(`${Number(fromBlock)}-${Number(toBlock)}`)
        return [] as Result
      },
    }
    const logger = pino({ level: 'silent' })
    const known = knownOf({
      blocksFrom: async (block) => {
        const below = told.findLast((number) => number < block)
        const blocks = [...(below === undefined ? [] : [below]), ...told.filter((number) => number >= block)]
        return blocks.map(blockAt)
      },
      factIdsFrom: async (block) => {
        idsAskedFrom.push(block)
        return new Map()
      },
    })
    return {
      ...{ node, heads: null, contracts, known, logger, recheckBlocks, launchpads: [] },
      curves: createCurveReader({ node, logger }),
      ...{ lagBlocks: 0, logRangeMax: 1000, reorgBlocksMax: 200, backfillMs: 0, pollMs: 1, lookGapMs: 0 },
      ...{ signal: new AbortController().signal, delay: async () => undefined, nowMs: Date.now },
    }
  }
  const rangeOf = (fromBlock: number, toBlock: number, rest: Partial<ChainARange> = {}): ChainARange => ({
    ...{ fromBlock, head: blockAt(toBlock), facts: [], newAddresses: [], chainHeadNumber: toBlock },
    ...rest,
  })
  const head = { ...blockAt(9000), parentHash: hashOfBlock(chain, 8999) }

  it('begins behind the first block that is read, and is due once twice the blocks wait', async () => {
    const recheck = await createRecheck(follower([], 10), null)
    expect(recheck.isDue(blockAt(9000)), 'nothing was read yet').to.equal(false)
    recheck.published(rangeOf(100, 100))
    recheck.published(rangeOf(101, 130))
    expect([119, 120, 130].map((number) => recheck.isDue(blockAt(number)))).to.deep.equal([false, true, true])
    expect(idsAskedFrom).to.deep.equal([])
  })

  it('is of as many blocks as fit into a question, up to those that are too new, and goes on behind them', async () => {
    const recheck = await createRecheck(follower([], 10), null)
    for (const range of [rangeOf(100, 100), rangeOf(101, 140)]) recheck.published(range)
    for (const span of [5, 1000]) await recheck.findLate({ last: blockAt(span < 9 ? 140 : 150), head, span })
    expect(askedLogs.slice(0, 2)).to.deep.equal(['101-105', '106-140'])
    expect(recheck.isDue(blockAt(159))).to.equal(false)
    expect(recheck.isDue(blockAt(160))).to.equal(true)
  })

  it('goes back to the first block of a reorg, and no further', async () => {
    const recheck = await createRecheck(follower([], 10), null)
    for (const range of [rangeOf(100, 100), rangeOf(101, 140)]) recheck.published(range)
    await recheck.findLate({ last: blockAt(140), head, span: 1000 })
    recheck.published(rangeOf(120, 141, { revertedFrom: 120 }))
    await recheck.findLate({ last: blockAt(141), head, span: 1000 })
    recheck.published(rangeOf(140, 142, { revertedFrom: 140 }))
    await recheck.findLate({ last: blockAt(142), head, span: 1000 })
    expect(askedLogs).to.deep.equal(['101-130', '120-131', '132-132'])
  })

  it('passes over what is older than the deepest reorg', async () => {
    const recheck = await createRecheck(follower([], 10), null)
    recheck.published(rangeOf(100, 100, { chainHeadNumber: 9000 }))
    recheck.published(rangeOf(101, 8799, { chainHeadNumber: 9000 }))
    expect(recheck.isDue(blockAt(8818))).to.equal(false)
    recheck.published(rangeOf(8800, 8830, { chainHeadNumber: 9000 }))
    await recheck.findLate({ last: blockAt(8830), head, span: 1000 })
    expect(askedLogs).to.deep.equal(['8800-8820'])
  })

  it('begins after a restart with what may not have been read twice, never before the first block in the log', async () => {
    for (const [told, from] of [
      [[100, 5000, 5300], 4981],
      [[4990, 5000, 5300], 4991],
      [[5300], 5301],
    ] as const) {
      idsAskedFrom = []
      const recheck = await createRecheck(follower(told, 10), blockAt(5300))
      expect(idsAskedFrom, `${told}`).to.deep.equal([from])
      await recheck.findLate({ last: blockAt(5400), head, span: 5 })
      expect(askedLogs.at(-1)).to.equal(`${from}-${from + 4}`)
    }
  })

  it('is none where it is switched off, and then nothing is read for it', async () => {
    const recheck = await createRecheck(follower([100, 5000], 0), blockAt(5000))
    for (const range of [rangeOf(5001, 5001), rangeOf(5002, 8000)]) recheck.published(range)
    expect(recheck.isDue(blockAt(9000))).to.equal(false)
    expect([idsAskedFrom, askedLogs]).to.deep.equal([[], []])
  })
})
