import { expect } from 'chai'
import { isOperationError } from '../../infra/errors.ts'
import type { Log } from '../../infra/log/log.ts'
import { runStage } from '../../processors/main.ts'
import type { StageDependencies, TaskProgress } from '../../processors/runtime/task.ts'
import { rulesVersion } from '../../schemas/chain-a/rules.ts'
import { topics } from '../../schemas/topics.ts'
import { appendFacts, type Codecs, createCodecs, derivedBytes, silentLogger } from '../replay/stage-log.ts'
import { toyStage } from '../replay/toy-stage.ts'
import { buildSwap, buildTick, second, testToken } from '../support/build-facts.ts'
import { createHoledLog } from '../support/holed-log.ts'

const facts = [
  { key: testToken, record: buildSwap({ blockAtMs: second(1) }) },
  { key: 'tick', record: { type: 'Tick' as const, data: buildTick({ blockAtMs: second(1) }) } },
]

describe('the stage', () => {
  let log: Log
  let codecs: Codecs
  beforeEach(async () => {
    log = createHoledLog({ nowMs: () => 0 })
    codecs = await createCodecs()
  })
  const dependencies = (onProgress: (progress: TaskProgress) => void): StageDependencies => ({
    ...codecs,
    log,
    processors: toyStage,
    rulesVersion,
    nowMs: () => 0,
    logger: silentLogger,
    onProgress,
  })

  it('runs every partition and says where each stands', async () => {
    for (let partition = 0; partition < topics['chain-a-facts'].partitionCount; partition++)
      await appendFacts({ log, codecs, partition }, facts)
    const stop = new AbortController()
    const stood = new Map<number, TaskProgress>()
    await runStage(
      dependencies((progress) => {
        stood.set(progress.partition, progress)
        if (stood.size === topics['chain-a-facts'].partitionCount) stop.abort()
      }),
      stop.signal,
    )
    expect([...stood.keys()].sort()).to.deep.equal([0, 1, 2, 3])
    expect(stood.get(3)).to.include({ seq: 1, knownAtMs: second(1), blockAtMs: second(1), isFolding: false, tokens: 1 })
    for (let partition = 0; partition < topics['chain-a-facts'].partitionCount; partition++)
      expect(await derivedBytes(log, partition)).to.have.length(2)
  })

  it('stops every task when one fails, with its error', async () => {
    const writer = await log.openWriter('ingest-chain-a')
    await writer.append([{ topic: 'chain-a-facts', partition: 2, key: testToken, value: Buffer.from('no record') }])
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
