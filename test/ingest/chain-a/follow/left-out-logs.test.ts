/**
 * Tests logs that a node leaves out of an answer. Some of these logs are found when the block is read again,
 * and the others are lost.
 */
import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { logTopics } from '../../../../ingest/chain-a/decode/log-topics.ts'
import { chainADefinition } from '../../../../ingest/chain-a/definition.ts'
import { createRpcSource } from '../../../../ingest/chain-a/follow/rpc-source.ts'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../../ingest/publish.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { readCanonicalFacts } from '../../canonical-facts.ts'
import { blockOf, type ChainDouble, hashOfBlock, type RpcDouble, startRpcDouble } from '../rpc-double.ts'

const contracts = chainAContracts('robinhood')
const recheckBlocks = 5
const reorgBlocksMax = 60
/** The newest block at the start. Each wait of ingest adds a block. */
const firstHead = 1000
/** The last block of the test. All earlier blocks become old enough to be read again. */
const lastBlock = 1030

type LogFilter = Readonly<{ fromBlock: string; toBlock: string; address?: unknown }>

describe('a log that the node leaves out', () => {
  const chain: ChainDouble = { head: firstHead, branchOf: () => 1 }
  /**
   * The key is a block in which a pool is created. The value lists the readings of this block in which the
   * node leaves out the log. 1 is the first reading.
   */
  let leftOut: ReadonlyMap<number, readonly number[]>
  let readings: Map<number, number>
  let double: RpcDouble

  const creationIn = (block: number) => ({
    ...{ address: contracts.poolManager, blockNumber: `0x${block.toString(16)}`, blockHash: hashOfBlock(chain, block) },
    ...{ logIndex: '0x0', transactionIndex: '0x0', transactionHash: hashOfBlock(chain, block) },
    topics: [logTopics.v4Initialize, hashOfBlock(chain, block), `0x${'0'.repeat(64)}`, `0x${'7'.padStart(64, '0')}`],
    data: `0x${'0'.repeat(320)}`,
  })

  const logsFor = ({ fromBlock, toBlock, address }: LogFilter) => {
    if (!address) return []
    const blocks = [...leftOut].filter(([block]) => block >= Number(fromBlock) && block <= Number(toBlock))
    return blocks.flatMap(([block, missing]) => {
      const reading = (readings.get(block) ?? 0) + 1
      readings.set(block, reading)
      return missing.includes(reading) ? [] : [creationIn(block)]
    })
  }

  beforeEach(async () => {
    chain.head = firstHead
    readings = new Map()
    double = await startRpcDouble((method, params) => {
      if (method === 'eth_chainId') return { result: '0x1237' }
      if (method === 'eth_getBlockByNumber') return { result: blockOf(chain, params[0] as unknown as string) }
      if (method === 'eth_getTransactionByHash') return { result: { hash: params[0], from: `0x${'5'.repeat(40)}` } }
      return { result: logsFor(params[0] as unknown as LogFilter) }
    })
  })
  afterEach(() => double.stop())

  /**
   * Runs ingest until the chain has grown for a while. Returns the blocks of the final facts, and the number
   * of reorgs.
   */
  const blocksIn = async (missing: Readonly<Record<number, readonly number[]>>) => {
    leftOut = new Map(Object.entries(missing).map(([block, its]) => [Number(block), its]))
    const log = createMemoryLog({ nowMs: () => 0 })
    const codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
    const publisher = await createChainPublisher({
      log,
      codecs,
      chain: chainADefinition,
      kind: 'chain',
      nowMs: () => 0,
    })
    const source = createRpcSource({
      node: createNode({ urls: [double.url], delay: async () => undefined }),
      ...{ contracts, lagBlocks: 0, logRangeMax: 50, recheckBlocks, reorgBlocksMax, backfillMs: 300_000 },
      logger: pino({ level: 'silent' }),
      delay: async () => {
        chain.head += 1
      },
    })
    for await (const range of source.ranges(null, publisher.known, new AbortController().signal)) {
      await publisher.publish(range, null)
      if (range.head.number >= lastBlock) break
    }
    const { facts, ticks } = await readCanonicalFacts(log, codecs)
    const reorgs = ticks.filter(({ revertedFrom }) => revertedFrom !== null).length
    return { blocks: facts.map(({ data }) => data.blockNumber), reorgs }
  }

  it('is found by the second reading of its block, and told in its place', async () => {
    expect(await blocksIn({ 1010: [], 1011: [1], 1012: [] })).to.deep.equal({ blocks: [1010, 1011, 1012], reorgs: 1 })
    expect(readings.get(1011)).to.be.at.least(3)
  })

  it('is found although the reading that was to bring it leaves it out again', async () => {
    // Block 1011 is read three times. The first reading lacks the log and is published. The second reading
    // finds the log. The third reading should replace the published block, but lacks the log again.
    expect(await blocksIn({ 1011: [1, 3], 1012: [] })).to.deep.equal({ blocks: [1011, 1012], reorgs: 2 })
  })

  it('is missing where both readings leave it out, and nothing else is', async () => {
    const last = lastBlock - 1
    expect(await blocksIn({ 1010: [], 1011: [1, 2], 1012: [], [last]: [] })).to.deep.equal({
      blocks: [1010, 1012, last],
      reorgs: 0,
    })
    expect(readings.get(1011)).to.equal(2)
  })

  it('is found in a backfill as far back as the deepest reorg', async () => {
    const edge = firstHead - reorgBlocksMax
    expect(await blocksIn({ [edge + 10]: [1], [edge + 11]: [] })).to.deep.include({ blocks: [edge + 10, edge + 11] })
  })

  it('is missing deep in a backfill, where blocks are read once, and nothing else is', async () => {
    expect(await blocksIn({ 720: [], 730: [1], 740: [], 1011: [1] })).to.deep.equal({
      blocks: [720, 740, 1011],
      reorgs: 1,
    })
    expect([720, 730, 740].map((block) => readings.get(block))).to.deep.equal([1, 1, 1])
  })
})
