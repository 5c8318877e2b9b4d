import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import kafkajs from 'kafkajs'
import { processStart } from '../../../../infra/data-dir/process-start.ts'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'

describe('the local cluster', () => {
  let kafka: LocalKafka | null = null
  let holder: ChildProcess | null = null
  let dataDir = ''

  afterEach(async () => {
    await kafka?.stop()
    kafka = null
    holder?.kill('SIGKILL')
    if (dataDir !== '') await rm(dataDir, { recursive: true, force: true })
  })

  it('keeps its records while a broker is down, and removes them when it is stopped', async () => {
    kafka = await startKafka({ withRegistry: true })
    const { brokers, registryUrl } = kafka
    await write(brokers, 'first')
    await kafka.stopBroker(0, 'SIGKILL')
    expect(kafka.brokerPids()).to.deep.equal([])
    await kafka.startBroker()
    await write(brokers, 'second')
    expect(await endOffset(brokers)).to.equal('2')
    expect((await fetch(`${registryUrl}/subjects`)).status).to.equal(200)

    const pids = [...kafka.brokerPids(), kafka.registryPid ?? 0]
    await kafka.stop()
    expect(pids.map(processStart)).to.deep.equal([null, null])
    expect(existsSync(kafka.dataDir)).to.equal(false)
  })

  it('serves an existing folder again, and ends with the process that started it', async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'cluster-'))
    const child = fileURLToPath(new URL('./cluster-child.ts', import.meta.url))
    holder = spawn(process.execPath, [runTypeScript, child, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
    const { brokers, pid } = await toldBy(holder)
    await write(brokers, 'first')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    while (processStart(pid) !== null) await sleep(20)

    kafka = await startKafka({ dataDir })
    expect(await endOffset(kafka.brokers)).to.equal('1')
  })
})

const topic = 'kept'

async function toldBy({ stdout }: ChildProcess): Promise<{ brokers: string; pid: number }> {
  if (stdout) for await (const line of createInterface({ input: stdout })) return JSON.parse(line)
  throw new Error('the child said nothing')
}

const clientOf = (brokers: string) =>
  new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING, retry: { retries: 10 } })

async function write(brokers: string, value: string): Promise<void> {
  const client = clientOf(brokers)
  const admin = client.admin()
  const producer = client.producer()
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true })
  await producer.connect()
  await producer.send({ topic, messages: [{ value }] })
  await Promise.all([admin.disconnect(), producer.disconnect()])
}

async function endOffset(brokers: string): Promise<string | undefined> {
  const admin = clientOf(brokers).admin()
  await admin.connect()
  const [partition] = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  return partition?.high
}
