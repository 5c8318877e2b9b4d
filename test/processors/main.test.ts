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
    const reported = new Map<string, Progress>()
    await runProcessProgram(
      {
        ...{ config: readConfig({}), share: { index: 1, count: 2 }, logger: silentLogger, signal: stop.signal },
        report(progress) {
          reported.set(progress.text.split(' ')[0] ?? '', progress)
          if (reported.size === partitions.length) stop.abort()
        },
      },
      open,
    )
    expect(groups).to.deep.equal(['stage-chain-a chain-a-facts 1/2'])
    expect([...reported.keys()].sort()).to.deep.equal(['chain-a/1', 'chain-a/3'])
    expect(reported.get('chain-a/1')).to.deep.include({ program: 'process', isLive: false })
    expect(reported.get('chain-a/1')?.text).to.match(/processed to 2026-01-01T00:00:01.000Z, \d+ facts\/s, 1 tokens$/)
    for (const partition of partitions) {
      const derived = await readAll(log, chainA.stage.derivedTopic.name, partition)
      const types = derived.map(({ value }) => stage.derivedCodec.typeOf(value!))
      expect(types).to.deep.equal(['PoolOpened', 'PoolProfile', 'Tick'])
    }
  })
})
