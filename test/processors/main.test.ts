import { expect } from 'chai'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { readConfig } from '../../infra/config.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import type { OpenLog } from '../../infra/log/open-log.ts'
import type { Progress } from '../../infra/program.ts'
import { runProcessProgram } from '../../processors/main.ts'
import { partitionsOf } from '../../processors/runtime/run-stage.ts'
import { chainA } from '../../processors/stages.ts'
import { appendFacts, openStage, readAll, silentLogger } from '../replay/stage-log.ts'
import { buildPoolCreated, buildSwap, buildTick, second, testToken } from '../support/build-facts.ts'

describe('the process program', () => {
  it('runs each stage of the list in its share of the partitions and reports where it is', async () => {
    const log = createMemoryLog({ nowMs: Date.now })
    const registry = createMemoryRegistry()
    const stage = await openStage(chainA, registry)
    const partitions = partitionsOf(stage.stage, { index: 1, count: 2 })
    for (const partition of partitions)
      await appendFacts({ ...stage, log, partition }, [
        { key: testToken, record: buildPoolCreated({ blockAtMs: second(0) }) },
        { key: testToken, record: buildSwap({ blockAtMs: second(1) }) },
        { key: 'tick', record: { type: 'Tick', data: buildTick({ blockAtMs: second(1) }) } },
      ])
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
          // One for each partition, at its commit.
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
})
