import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { pino } from 'pino'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { createKafkaLog, type KafkaLogOptions } from '../../../../infra/log/kafka/kafka-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { describeFollowedTokens } from '../../../contracts/followed-tokens.ts'
import { describeLogContract, expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'

const logger = pino({ level: 'silent' })

describe('kafka log', () => {
  let kafka: LocalKafka
  let systemCount = 0
  before(async () => {
    kafka = await startKafka()
  })
  after(() => kafka?.stop())

  /** Creates a log with its own topics. All logs use the same broker. */
  const create = (options: Partial<KafkaLogOptions> = {}) =>
    createKafkaLog({
      brokers: kafka.brokers.split(','),
      nowMs: Date.now,
      logger,
      topicPrefix: `system-${systemCount++}-`,
      ...options,
    })

  describeLogContract('kafka log', {
    create: (nowMs) => create({ nowMs }),
    runCount: 4,
    isDense: false,
    compactsOnMaintain: false,
  })

  describeFollowedTokens('kafka log', { create: () => create() })

  it('refuses a topic that does not have the declared number of partitions', async () => {
    const topicPrefix = 'recounted-'
    await (await create({ topicPrefix })).close()
    const topicTable = { ...topics, payments: { ...topics.payments, partitionCount: 3 } }
    await expectFailure(create({ topicPrefix, topicTable }), 'partition_count_changed')
    await (await create({ topicPrefix })).close()
  })

  it('fails with log_unavailable if no broker answers', async () => {
    await expectFailure(create({ brokers: ['127.0.0.1:1'] }), 'log_unavailable')
  })

  it('appends many thousands of records, all or none', async () => {
    const log = await create()
    const writer = await log.openWriter('w')
    const texts = Array.from({ length: 20_000 }, (_, index) => `${index} ${'x'.repeat(300)}`)
    await writer.append(texts.map((text, index) => fact(index % 2, text)))
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(texts.filter((_, index) => index % 2 === 1))
    await log.close()
  })

  it('does not keep a process alive that only waits', async () => {
    const script = fileURLToPath(new URL('./idle-waiter.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [runTypeScript, script, kafka.brokers])
    expect(stdout).to.equal('waiting\n')
  })

  it('shows a reader of another process whole appends only', async () => {
    const topicPrefix = 'two-'
    const writing = await create({ topicPrefix })
    const reading = await create({ topicPrefix })
    const writer = await writing.openWriter('w')
    const { signal } = new AbortController()
    const waiting = reading.waitForAppend({ topic: 'chain-a-facts', partition: 0, offset: 0 }, signal)
    await writer.append(Array.from({ length: 3000 }, (_, index) => fact(0, `${index} ${'x'.repeat(300)}`)))
    await waiting
    expect(await valuesOf(reading, 'chain-a-facts', 0)).to.have.lengthOf(3000)
    await writing.close()
    await reading.close()
  })
})
