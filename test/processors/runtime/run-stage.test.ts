import { expect } from 'chai'
import { isOperationError } from '../../../infra/errors.ts'
import type { Log } from '../../../infra/log/log.ts'
import { partitionsOf, runStage } from '../../../processors/runtime/run-stage.ts'
import type { StageDependencies, TaskProgress } from '../../../processors/runtime/task.ts'
import { appendFacts, derivedBytes, type OpenStage, openStage, silentLogger } from '../../replay/stage-log.ts'
import { paidIn, toyTick } from '../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage, toyTopics } from '../../replay/toy/toy-records.ts'
import { toy } from '../../replay/toy/toy-stage.ts'
import { second } from '../../support/builders/build-facts.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'

const facts = [
  { key: 'ada', record: paidIn({ blockAtMs: second(1) }) },
  { key: 'tick', record: { type: 'Tick' as const, data: toyTick({ blockAtMs: second(1) }) } },
]

describe('the stage', () => {
  let log: Log
  let open: OpenStage<ToyTypes>
  beforeEach(async () => {
    log = createHoledLog({ nowMs: () => 0, topicTable: toyTopics })
    open = await openStage(toy, undefined, toyTopics)
  })
  const dependencies = (onProgress: (progress: TaskProgress) => void): StageDependencies => ({
    ...open,
    log,
    nowMs: () => 0,
    logger: silentLogger,
    onProgress,
  })

  it('runs every partition and says where each stands', async () => {
    for (let partition = 0; partition < toyStage.factTopic.partitionCount; partition++)
      await appendFacts({ ...open, log, partition }, facts)
    const stop = new AbortController()
    const stood = new Map<number, TaskProgress>()
    await runStage(
      dependencies((progress) => {
        stood.set(progress.partition, progress)
        if (stood.size === toyStage.factTopic.partitionCount) stop.abort()
      }),
      stop.signal,
    )
    expect([...stood.keys()].sort()).to.deep.equal([0, 1, 2])
    expect(stood.get(2)).to.include({ seq: 1, knownAtMs: second(1), blockAtMs: second(1), isFolding: false, tokens: 1 })
    for (let partition = 0; partition < toyStage.factTopic.partitionCount; partition++)
      expect(await derivedBytes(log, toyStage, partition)).to.have.length(2)
  })

  it('is divided among threads, each partition to one', () => {
    const { partitionCount } = toyStage.factTopic
    expect([0, 1].map((index) => partitionsOf(toyStage, { index, count: 2 }))).to.deep.equal([[0, 2], [1]])
    expect(partitionsOf(toyStage)).to.have.length(partitionCount)
  })

  it('stops every task when one fails, with its error', async () => {
    const writer = await log.openWriter('ingest-toy')
    await writer.append([{ topic: 'toy-facts', partition: 2, key: 'ada', value: Buffer.from('no record') }])
    try {
      await runStage(
        dependencies(() => {}),
        new AbortController().signal,
      )
      expect.fail('it went on')
    } catch (error) {
      expect(isOperationError(error, 'record_corrupt')).to.equal(true)
    }
  })
})
