import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { pino } from 'pino'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { OperationError } from '../../../../infra/errors.ts'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import { sharePartitions } from '../../../../infra/log/kafka/share-partitions.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { expectFailure, valuesOf } from '../../../contracts/log-contract.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'
import { workInTurns } from './share-worker.ts'

const logger = pino({ level: 'silent' })

describe('shared partitions', () => {
  let kafka: LocalKafka
  let systemCount = 0
  let topicPrefix: string
  let log: Log
  const stops: AbortController[] = []
  const children: ChildProcess[] = []

  before(async () => {
    kafka = await startKafka()
  })
  beforeEach(async () => {
    topicPrefix = `system-${systemCount++}-`
    log = await createKafkaLog({ brokers: kafka.brokers.split(','), nowMs: Date.now, logger, topicPrefix })
  })
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    for (const stop of stops.splice(0)) stop.abort()
    await log.close()
  })
  after(() => kafka?.stop())

  type Held = { partitions: readonly number[] | null; runCount: number }

  const share = (work?: (partitions: readonly number[], signal: AbortSignal) => Promise<void>) => {
    const stop = new AbortController()
    stops.push(stop)
    const held: Held = { partitions: null, runCount: 0 }
    const ended = sharePartitions({
      connection: { brokers: kafka.brokers.split(','), topicPrefix },
      groupId: 'stage',
      topic: topics['chain-a-facts'],
      sessionMs: 6000,
      signal: stop.signal,
      logger,
      work: async (partitions, signal) => {
        held.partitions = partitions
        held.runCount++
        await (work ? work(partitions, signal) : untilAborted(signal))
        held.partitions = null
      },
    })
    ended.catch(() => {})
    return { held, ended, stop }
  }

  it('gives one worker all partitions, two workers half each, and the rest all when one leaves', async () => {
    const first = share()
    await until(() => first.held.partitions?.length === 4)
    const second = share()
    await until(() => first.held.partitions?.length === 2 && second.held.partitions?.length === 2)
    const both = [...(first.held.partitions ?? []), ...(second.held.partitions ?? [])]
    expect(both.sort()).to.deep.equal([0, 1, 2, 3])
    second.stop.abort()
    await second.ended
    await until(() => first.held.partitions?.length === 4)
    first.stop.abort()
    await first.ended
  })

  it('does not hand over a partition before the work on it has ended', async () => {
    let endedCount = 0
    const first = share(async (_, signal) => {
      await untilAborted(signal)
      await delay(500)
      endedCount++
    })
    await until(() => first.held.partitions !== null)
    let endedBefore: number | null = null
    const second = share(async (_, signal) => {
      endedBefore ??= endedCount
      await untilAborted(signal)
    })
    await until(() => second.held.runCount > 0)
    expect(endedBefore).to.equal(1)
  })

  it('restarts the work after an outage of the log, and ends with any other failure', async () => {
    let runCount = 0
    const { ended } = share(async () => {
      runCount++
      throw new OperationError(runCount < 2 ? 'log_unavailable' : 'record_corrupt', 'on purpose')
    })
    await expectFailure(ended, 'record_corrupt')
    expect(runCount).to.equal(2)
  })

  it('fences a worker that was stopped for longer than its session', async () => {
    const script = fileURLToPath(new URL('./share-worker.ts', import.meta.url))
    const child = spawn(process.execPath, [runTypeScript, script, kafka.brokers, topicPrefix], { stdio: 'ignore' })
    children.push(child)
    await until(async () => (await valuesOf(log, 'chain-a-derived', 3)).length > 3)
    child.kill('SIGSTOP')
    const successor = share((partitions, signal) => workInTurns({ log, name: 'successor', partitions, signal }))
    await until(async () => (await valuesOf(log, 'chain-a-derived', 3)).filter(isSuccessors).length > 3)
    child.kill('SIGCONT')
    // The worker notices the loss, rejoins, and gets half of the partitions. It opens new writers for them.
    await until(async () => (successor.held.partitions?.length ?? 0) === 2)
    for (const partition of [0, 1, 2, 3]) {
      const turns = (await valuesOf(log, 'chain-a-derived', partition)).map((text) => text.split(' ')[0])
      // A turn begins when a worker opens its writer. After a later turn has begun, an earlier turn must not
      // append again.
      expect(turns.filter((turn, index) => turn !== turns[index - 1])).to.deep.equal([...new Set(turns)])
    }
  })
})

const isSuccessors = (text: string) => text.startsWith('successor')

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + 150_000
  while (!(await isSo())) {
    if (Date.now() > untilMs) expect.fail('the condition was not met in time')
    await delay(50)
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
