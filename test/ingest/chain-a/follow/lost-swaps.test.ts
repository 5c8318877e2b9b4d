/**
 * A node leaves out swaps of one minute, and returns them in later readings. The rows must be the same as
 * without this loss.
 */
import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { logTopics } from '../../../../ingest/chain-a/decode/log-topics.ts'
import { chainADefinition } from '../../../../ingest/chain-a/definition.ts'
import { createRpcSource } from '../../../../ingest/chain-a/follow/rpc-source.ts'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../../ingest/publish.ts'
import { chainA } from '../../../../processors/stages.ts'
import { type ChainATypes, chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { finalRows } from '../../../replay/reorgs/reorg-runner.ts'
import { type OpenStage, openStage, readAll, runUntil } from '../../../replay/stage-log.ts'
import type { RawLog } from '../../../support/oracle/recording.ts'
import { answerOf, blockOf, contracts, idOf, logs, recording, secondOf, startAtMs } from '../recorded-node.ts'
import { type RpcDouble, startRpcDouble } from '../rpc-double.ts'

const minuteMs = 60_000
const recheckBlocks = 20
const firstHead = 5
/** The blocks that each wait adds. */
const stepBlocks = 20
const partitions = Array.from({ length: chainAStage.factTopic.partitionCount }, (_, partition) => partition)
const registry = createMemoryRegistry()

const swapTopics: readonly (string | undefined)[] = [logTopics.v4Swap, logTopics.v3Swap]

/** Returns the ids of a share of the minute's swaps, at least one. */
function lostIn(minute: number, share: number): ReadonlySet<string> {
  const fromMs = startAtMs + minute * minuteMs
  const swaps = logs.filter(({ topics: [topic], blockTimestamp }) => {
    const atMs = Number(blockTimestamp) * 1000
    return swapTopics.includes(topic) && atMs >= fromMs && atMs < fromMs + minuteMs
  })
  const every = Math.round(1 / share)
  return new Set(swaps.filter((_, index) => index % every === 3).map(idOf))
}

type Told = { head: number; lost: ReadonlySet<string>; given: Set<string> }

/** Returns a filter that drops a lost log from the first answer only. */
const isGivenBy =
  ({ lost, given }: Told) =>
  (log: RawLog): boolean => {
    const id = idOf(log)
    if (!lost.has(id) || given.has(id)) return true
    given.add(id)
    return false
  }

describe('swaps that a node leaves out for a minute', () => {
  let double: RpcDouble
  let open: OpenStage<ChainATypes>
  const node: Told = { head: firstHead, lost: new Set(), given: new Set() }

  before(async () => {
    open = await openStage(chainA, registry)
    double = await startRpcDouble((method, params) => ({
      result: answerOf({ head: node.head, isGiven: isGivenBy(node) }, method, params),
    }))
  })
  after(() => double.stop())

  /**
   * Returns the final rows, and the newest blocks at the times when ingest published a part of the log again.
   * Records of the desk are left out, because they depend on when facts became known.
   */
  const ingest = async (lost: ReadonlySet<string>, recheck = recheckBlocks) => {
    Object.assign(node, { head: firstHead, lost, given: new Set() })
    const log = createMemoryLog({ nowMs: () => secondOf(node.head) * 1000 })
    const codecs = await createIngestCodecs(chainAStage, registry)
    const publisher = await createChainPublisher({
      ...{ log, codecs, chain: chainADefinition, kind: 'chain', nowMs: () => secondOf(node.head) * 1000 },
    })
    const source = createRpcSource({
      node: createNode({ urls: [double.url], delay: async () => undefined }),
      ...{ contracts, lagBlocks: 0, logRangeMax: 100, recheckBlocks: recheck, reorgBlocksMax: 200 },
      ...{ backfillMs: minuteMs, logger: pino({ level: 'silent' }) },
      delay: async () => {
        node.head = Math.min(node.head + stepBlocks, recording.head.number)
      },
    })
    const restatedAt: number[] = []
    for await (const range of source.ranges(null, publisher.known, new AbortController().signal)) {
      await publisher.publish(range, null)
      if (range.revertedFrom !== undefined) restatedAt.push(range.head.number)
      if (range.head.number === recording.head.number) break
    }
    const rows: string[] = []
    for (const partition of partitions) {
      await runUntil({ ...open, partition }, publisher.cursor()?.seq ?? 0, { log })
      const stored = await readAll(log, chainAStage.derivedTopic.name, partition)
      const derived = stored.map(({ key, value }) => ({ token: key, record: open.derivedCodec.decode(value!) }))
      rows.push(...finalRows(open.stage, derived).filter((row) => !row.startsWith('Desk')))
    }
    await publisher.close()
    return { rows: rows.sort(), restatedAt }
  }

  it('are restated by the second reading: all rows are those of the chain, at 0.5, 2 and 5 %', async () => {
    const whole = await ingest(new Set())
    expect(whole.rows).to.have.lengthOf.above(400)
    expect(whole.restatedAt).to.deep.equal([])
    for (const [minute, share] of [
      [24, 0.005],
      [50, 0.02],
      [91, 0.05],
    ] as const) {
      const lost = lostIn(minute, share)
      expect(lost.size).to.be.above(0)
      const { rows, restatedAt } = await ingest(lost)
      expect(rows, `${lost.size} lost`).to.deep.equal(whole.rows)
      const last = Math.max(...logs.filter((log) => lost.has(idOf(log))).map(blockOf))
      expect(restatedAt).to.have.lengthOf.above(0)
      // A block is read again after at most `2 * recheckBlocks` more blocks.
      expect(restatedAt.at(-1)).to.be.below(last + 2 * recheckBlocks + 2 * stepBlocks)
    }
    const unread = await ingest(lostIn(50, 0.05), 0)
    expect(unread.rows, 'without a second reading').not.to.deep.equal(whole.rows)
  })
})
