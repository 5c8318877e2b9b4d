import { expect } from 'chai'
import { isOperationError } from '../../../../infra/errors.ts'
import { findCommonBlock, lookAtHead } from '../../../../ingest/chain-a/follow/branch.ts'
import type { FollowDependencies } from '../../../../ingest/chain-a/follow/dependencies.ts'
import { knownOf } from '../../known-of.ts'
import { blockOf, type ChainDouble, hashOfBlock } from '../rpc-double.ts'

describe('the branch that a node is on', () => {
  /** The blocks with a tick in the log, all on branch 1. */
  const told = [4900, 4910, 4990, 5000]
  let chain: ChainDouble
  let asked: string[]
  let lookedBackTo: number[]
  let onDelay: () => void
  /** From this block on, the blocks have times in the year 2100. */
  let wrongFrom: number
  let nowMs: number
  beforeEach(() => {
    wrongFrom = Number.POSITIVE_INFINITY
    nowMs = Date.UTC(2026, 0)
    chain = { head: 5010, branchOf: () => 1 }
    asked = []
    lookedBackTo = []
    onDelay = () => {}
  })
  const blockAt = (number: number) => ({
    number,
    hash: hashOfBlock({ head: 0, branchOf: () => 1 }, number),
    atMs: number >= wrongFrom ? Date.UTC(2100, 0) : number,
  })
  const blocksFrom = async (block: number) => {
    lookedBackTo.push(block)
    const below = told.findLast((number) => number < block)
    return [...(below === undefined ? [] : [below]), ...told.filter((number) => number >= block)].map(blockAt)
  }
  const follower = () =>
    ({
      node: {
        hosts: 'node',
        request: async ({ params }: { params: readonly [string] }) => {
          asked.push(params[0])
          return blockOf(chain, params[0])
        },
      },
      known: knownOf({ blocksFrom }),
      ...{ signal: new AbortController().signal, reorgBlocksMax: 90, pollMs: 500, nowMs: () => nowMs },
      delay: async () => onDelay(),
    }) as unknown as FollowDependencies
  const branchNow = async () => (await lookAtHead(follower(), blockAt(5000))).branch
  const timeAtNode = (block: number) =>
    Number((blockOf(chain, `0x${block.toString(16)}`) as unknown as { timestamp: string }).timestamp) * 1000
  const replacedFrom = (block: number) => {
    chain.branchOf = (number) => (number >= block ? 2 : 1)
  }

  it('is the same where the node has the last block', async () => {
    expect(await branchNow()).to.equal('same')
    expect(asked).to.deep.equal(['latest', '0x1388'])
  })

  it('is another where the log has a time of its last block that cannot be, and three looks find another time', async () => {
    wrongFrom = 4990
    expect(await branchNow()).to.equal('replaced')
    expect(asked).to.deep.equal(['latest', '0x1388', '0x1388', '0x1388'])
    expect(await findCommonBlock(follower(), blockAt(5000))).to.deep.equal(blockAt(4910))
  })

  it('is the same where the log has a time that only our clock makes impossible', async () => {
    const inLog = { ...blockAt(5000), atMs: timeAtNode(5000) }
    nowMs = inLog.atMs - 3_600_000
    expect((await lookAtHead(follower(), inLog)).branch).to.equal('same')
  })

  it('is the same before the first block was read, and behind while there is no head', async () => {
    expect((await lookAtHead(follower(), { ...blockAt(5000), hash: null })).branch).to.equal('same')
    expect(asked).to.deep.equal(['latest'])
    chain.head = -1
    expect(await branchNow()).to.equal('behind')
  })

  it('is another where three looks find another block', async () => {
    replacedFrom(4995)
    expect(await branchNow()).to.equal('replaced')
    expect(asked).to.deep.equal(['latest', '0x1388', '0x1388', '0x1388'])
  })

  for (const look of [1, 2])
    it(`is the same where look ${look + 1} finds it again, or nothing`, async () => {
      for (const change of [() => replacedFrom(9999), () => (chain.head = 4999)]) {
        chain.head = 5010
        replacedFrom(4995)
        let delays = 0
        onDelay = () => ++delays === look && change()
        expect(await branchNow()).to.equal('same')
      }
    })

  const shorter: [string, number, number, string][] = [
    ['behind: its head is on the branch', 4995, 9999, 'behind'],
    ['another: the block in the log below its head is not on it', 4995, 4990, 'replaced'],
    ['another: the block in the log at its very head is not on it', 4990, 4990, 'replaced'],
    ['behind: what was replaced may be above the last block in the log', 4995, 4991, 'behind'],
    ['another, as far back as a branch may go', 4910, 4905, 'replaced'],
    ['behind for now, further back', 4909, 4800, 'behind'],
  ]
  for (const [what, head, from, branch] of shorter)
    it(`of a node with a lower head is ${what}`, async () => {
      chain.head = head
      replacedFrom(from)
      expect(await branchNow()).to.equal(branch)
      expect(lookedBackTo).to.deep.equal(head < 4910 ? [] : [head + 1])
    })

  it('of a node with a lower head is behind where a second look finds the block again', async () => {
    chain.head = 4995
    replacedFrom(4990)
    onDelay = () => replacedFrom(9999)
    expect(await branchNow()).to.equal('behind')
  })

  const commons: [number, number][] = [
    [5000, 4990],
    [4991, 4990],
    [4990, 4910],
    [4911, 4910],
    [4910, 4900],
  ]
  for (const [from, common] of commons)
    it(`has block ${common} in common when it is another from ${from} on`, async () => {
      replacedFrom(from)
      expect(await findCommonBlock(follower(), blockAt(5000))).to.deep.equal(blockAt(common))
      expect(lookedBackTo).to.deep.equal([4910])
    })

  const codeOf = async () => {
    const error = await findCommonBlock(follower(), blockAt(5000)).catch((cause: unknown) => cause)
    return isOperationError(error, 'node_inconsistent')
      ? 'node_inconsistent'
      : isOperationError(error, 'reorg_too_deep') && 'reorg_too_deep'
  }

  it('has nothing in common further back than a branch may go, unless the node changes its word', async () => {
    replacedFrom(4900)
    expect(await codeOf()).to.equal('reorg_too_deep')
    onDelay = () => replacedFrom(9999)
    expect(await codeOf()).to.equal('node_inconsistent')
  })
})
