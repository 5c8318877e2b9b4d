/**
 * A node sends times in the year 2100 for some seconds, and then sends correct times. The rows must be those
 * of an honest node.
 */
import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { chainADefinition } from '../../../../ingest/chain-a/definition.ts'
import { createRpcSource } from '../../../../ingest/chain-a/follow/rpc-source.ts'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import type { ChainARange } from '../../../../ingest/chain-a/types.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../../ingest/publish.ts'
import { chainA } from '../../../../processors/stages.ts'
import { type ChainATypes, chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { finalRows } from '../../../replay/reorgs/reorg-runner.ts'
import { type OpenStage, openStage, readAll, runUntil } from '../../../replay/stage-log.ts'
import { answerOf, contracts, recording, secondOf } from '../recorded-node.ts'
import { type RpcDouble, startRpcDouble } from '../rpc-double.ts'

const year2100 = Date.UTC(2100, 0)
const firstHead = 5
/** The blocks that each wait adds. */
const stepBlocks = 20
const partitions = Array.from({ length: chainAStage.factTopic.partitionCount }, (_, partition) => partition)
const registry = createMemoryRegistry()

describe('times of the year 2100', () => {
  let double: RpcDouble
  let open: OpenStage<ChainATypes>
  let log: Log
  let head: number
  /** While the head is between `from` and `until`, every block from `from` on has a time in the year 2100. */
  let lies: Readonly<{ from: number; until: number }> | null

  before(async () => {
    open = await openStage(chainA, registry)
    double = await startRpcDouble((method, params) => {
      const isLying = lies !== null && head >= lies.from && head < lies.until
      const from = isLying ? lies?.from : undefined
      const timeOf = (block: number) =>
        from !== undefined && block >= from ? year2100 / 1000 + block : secondOf(block)
      return { result: answerOf({ head, secondOf: timeOf }, method, params) }
    })
  })
  after(() => double.stop())
  beforeEach(() => {
    head = firstHead
    lies = null
    log = createMemoryLog({ nowMs: () => secondOf(head) * 1000 })
  })

  const nowMs = () => secondOf(head) * 1000

  /**
   * Runs ingest from the end of the log until a range for which `isLast` is true. Returns the first replaced
   * block of each reorg.
   */
  const ingest = async (isLast: (range: ChainARange) => boolean, sourceNowMs = nowMs): Promise<readonly number[]> => {
    const codecs = await createIngestCodecs(chainAStage, registry)
    const publisher = await createChainPublisher({ ...{ log, codecs, chain: chainADefinition, kind: 'chain', nowMs } })
    const source = createRpcSource({
      node: createNode({ urls: [double.url], delay: async () => undefined, nowMs: sourceNowMs }),
      ...{ contracts, lagBlocks: 0, logRangeMax: 100, recheckBlocks: 0, reorgBlocksMax: 400 },
      ...{ backfillMs: 60_000, logger: pino({ level: 'silent' }), nowMs: sourceNowMs },
      delay: async () => {
        head = Math.min(head + stepBlocks, recording.head.number)
      },
    })
    const revertedFrom: number[] = []
    for await (const range of source.ranges(publisher.cursor(), publisher.known, new AbortController().signal)) {
      await publisher.publish(range, null)
      if (range.revertedFrom !== undefined) revertedFrom.push(range.revertedFrom)
      if (isLast(range)) break
    }
    await runStage(publisher.cursor()?.seq ?? 0)
    await publisher.close()
    return revertedFrom
  }
  const runStage = async (seq: number) => {
    for (const partition of partitions) await runUntil({ ...open, partition }, seq, { log })
  }
  const isHead = (range: ChainARange) => range.head.number === recording.head.number
  /**
   * Returns the final rows. Records of the desk are left out, because they depend on when facts became known.
   */
  const rows = async () => {
    const found: string[] = []
    for (const partition of partitions) {
      const stored = await readAll(log, chainAStage.derivedTopic.name, partition)
      const derived = stored.map(({ key, value }) => ({ token: key, record: open.derivedCodec.decode(value!) }))
      found.push(...finalRows(open.stage, derived).filter((row) => !row.startsWith('Desk')))
    }
    return found.sort()
  }
  const rowsOfHonest = async () => {
    await ingest(isHead)
    const honest = await rows()
    expect(honest).to.have.lengthOf.above(400)
    head = firstHead
    log = createMemoryLog({ nowMs })
    return honest
  }

  it('are not written: the rows are those of an honest node', async () => {
    const honest = await rowsOfHonest()
    const middle = Math.round(recording.head.number / 2)
    lies = { from: middle, until: middle + 6 * stepBlocks }
    expect(await ingest(isHead)).to.deep.equal([])
    expect(await rows()).to.deep.equal(honest)
  })

  it('that stand in a log of before are taken back at the next start, with all that was derived of them', async () => {
    const honest = await rowsOfHonest()
    const middle = Math.round(recording.head.number / 2)
    lies = { from: middle, until: middle + 6 * stepBlocks }
    // All times are before this clock, so ingest accepts the wrong times. Old versions did the same, because
    // they did not check times.
    const isWrong = (range: ChainARange) => range.head.atMs >= year2100 && range.head.number >= middle + 3 * stepBlocks
    expect(await ingest(isWrong, () => 2 * year2100)).to.deep.equal([])
    const poisoned = await rows()
    lies = null
    const [revertedFrom, ...others] = await ingest(isHead)
    expect(others).to.deep.equal([])
    expect(revertedFrom).to.be.at.most(middle)
    expect(poisoned.filter((row) => !honest.includes(row))).to.have.lengthOf.above(0)
    expect(await rows()).to.deep.equal(honest)
  })
})
