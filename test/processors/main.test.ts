import { expect } from 'chai'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { readConfig } from '../../infra/config.ts'
import type { Log } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import type { OpenLog } from '../../infra/log/open-log.ts'
import type { Progress } from '../../infra/program.ts'
import { createLogger } from '../../infra/telemetry.ts'
import { runProcessProgram } from '../../processors/main.ts'
import { partitionsOf } from '../../processors/runtime/run-stage.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import type { ChainBTypes } from '../../schemas/chain-b/stage.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { KeyedRecord } from '../replay/keyed-record.ts'
import { appendFacts, openStage, readAll, silentLogger } from '../replay/stage-log.ts'
import { buildPoolCreated, buildSwap, buildTick, second, testToken } from '../support/builders/build-facts.ts'
import { buildCurveLaunched as buildLaunched, testMint } from '../support/chain-b/build-facts.ts'

/** Returns an open log on which this worker gets these partitions. */
const sharing = (log: Log, registry: SchemaRegistry, partitions: readonly number[]): OpenLog => ({
  ...{ log, registry, restartPauseMs: () => null, close: async () => {} },
  sharePartitions: ({ signal, work }) => work(partitions, signal),
})

const factsOfA: readonly KeyedRecord<ChainATypes>[] = [
  { key: testToken, record: buildPoolCreated({ blockAtMs: second(0) }) },
  { key: testToken, record: buildSwap({ blockAtMs: second(1) }) },
  { key: 'tick', record: { type: 'Tick', data: buildTick({ blockAtMs: second(1) }) } },
]
const factsOfB: readonly KeyedRecord<ChainBTypes>[] = [
  { key: testMint, record: buildLaunched({ blockAtMs: second(0) }) },
  { key: 'tick', record: { type: 'Tick', data: buildTick({ blockAtMs: second(1) }) } },
]

describe('the process program', () => {
  it('runs each stage of the list in its share of the partitions and reports where it is', async () => {
    const log = createMemoryLog({ nowMs: Date.now })
    const registry = createMemoryRegistry()
    const stage = await openStage(chainA, registry)
    const partitions = partitionsOf(stage.stage, { index: 1, count: 2 })
    for (const partition of partitions) await appendFacts({ ...stage, log, partition }, factsOfA)
    const groups: string[] = []
    const open: OpenLog = {
      ...{ log, registry, restartPauseMs: () => null, close: async () => {} },
      async sharePartitions({ groupId, topic, share, signal, work }) {
        groups.push(`${groupId} ${topic.name} ${share.index}/${share.count}`)
        await work(partitions, signal)
      },
    }
    const stop = new AbortController()
    const reports: Progress[] = []
    await runProcessProgram(
      {
        ...{ config: readConfig({}), share: { index: 1, count: 2 }, logger: silentLogger, signal: stop.signal },
        report(progress) {
          // There is one report for each partition, at its commit.
          if (reports.push(progress) === partitions.length) stop.abort()
        },
      },
      open,
      [chainA],
    )
    expect(groups).to.deep.equal(['stage-chain-a chain-a-facts 1/2'])
    for (const report of reports) {
      expect(report).to.include({ program: 'process', stage: 'chain-a', state: 'backfill' })
      expect(report.text).to.match(/ behind, \d+ facts\/s, 1 tokens in memory$/)
    }
    for (const partition of partitions) {
      const derived = await readAll(log, chainA.stage.derivedTopic.name, partition)
      const types = derived.map(({ value }) => stage.derivedCodec.typeOf(value!))
      expect(types).to.deep.equal(['PoolOpened', 'PoolProfile', 'PoolMinute', 'Tick'])
    }
  })

  describe('with a stage that fails at every try', () => {
    let log: Log
    let registry: SchemaRegistry
    beforeEach(() => {
      log = createMemoryLog({ nowMs: Date.now })
      registry = createMemoryRegistry()
    })

    /** Runs until the stage `name` has committed and a failure is logged. Returns the stages that have committed. */
    const runUntilDone = async (name: string): Promise<readonly string[]> => {
      const stop = new AbortController()
      const done = new Set<string>()
      let isLogged = false
      const stopWhenSeen = () => {
        if (isLogged && done.has(name)) stop.abort()
      }
      const write = () => {
        isLogged = true
        stopWhenSeen()
      }
      const report = ({ stage }: Progress) => {
        done.add(stage)
        stopWhenSeen()
      }
      const context = { config: readConfig({}), share: { index: 0, count: 1 }, report, signal: stop.signal }
      const logger = createLogger('test', 'error', { write })
      await runProcessProgram({ ...context, logger }, sharing(log, registry, [0]))
      return [...done]
    }
    const corrupt = async (topic: TopicName) => {
      const writer = await log.openWriter('a writer with a fault')
      await writer.append([{ topic, partition: 0, key: 'x', value: Buffer.from([0, 0, 0, 0, 1, 9]) }])
    }

    it('runs the other one on: chain A beside chain B, and chain B beside chain A', async () => {
      await corrupt('chain-b-facts')
      await appendFacts({ ...(await openStage(chainA, registry)), log, partition: 0 }, factsOfA)
      expect(await runUntilDone('chain-a')).to.deep.equal(['chain-a'])

      log = createMemoryLog({ nowMs: Date.now })
      await corrupt('chain-a-facts')
      await appendFacts({ ...(await openStage(chainB, registry)), log, partition: 0 }, factsOfB)
      expect(await runUntilDone('chain-b')).to.deep.equal(['chain-b'])
    })

    it('ends when the others fail too', async () => {
      await corrupt('chain-a-facts')
      await corrupt('chain-b-facts')
      await corrupt('chat-posts')
      const failure = await runUntilDone('chain-a').catch((error: unknown) => error)
      expect(failure).to.have.property('code', 'record_corrupt')
    })
  })
})
