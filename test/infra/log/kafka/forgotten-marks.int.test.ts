import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { type LocalKafka, startKafka } from '../../../../infra/local-kafka/cluster.ts'
import type { Address, ClientBroker } from '../../../../infra/log/kafka/client-parts.ts'
import { type Connections, createConnections, type Lane } from '../../../../infra/log/kafka/connections.ts'
import { createDirectory } from '../../../../infra/log/kafka/directory.ts'
import { addressOf, createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import { openKafkaWriter } from '../../../../infra/log/kafka/kafka-writer.ts'
import { type Cluster, createAppended } from '../../../../infra/log/kafka/partition-reader.ts'
import type { TopicPartitions } from '../../../../infra/log/kafka/producer.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'

const logger = pino({ level: 'silent' })
const { signal: never } = new AbortController()

/** As a broker does that is restarted between the answer to a commit and the last of its marks. */
describe('a log whose broker forgot a mark of a commit', () => {
  let kafka: LocalKafka
  let systemCount = 0
  let topicPrefix: string
  let log: Log

  before(async () => {
    // Else it refuses records of a partition that its coordinator is not told of.
    kafka = await startKafka({ brokerSettings: { 'transaction.partition.verification.enable': 'false' } })
  })
  beforeEach(async () => {
    topicPrefix = `system-${systemCount++}-`
    log = await createKafkaLog({ brokers: kafka.brokers.split(','), nowMs: Date.now, logger, topicPrefix })
  })
  afterEach(() => log?.close())
  after(() => kafka?.stop())

  type Forgetful = {
    /** The coordinator hears nothing of partition 1: its records stand there, and the commit leaves no mark. */
    isForgetting: boolean
    /** It hangs up whenever it is told of partitions. */
    isGone: boolean
    /** How often it has hung up. */
    refusedCount: number
    /** How often it took what it was told of partitions: not while it still ends the transaction before. */
    toldCount: number
    /** How often it was asked for the ends of some. */
    lookCount: number
    /** It answers nothing about records that it is sent before this. */
    answersAfter: Promise<void>
  }
  const attentive = (): Forgetful => ({
    ...{ isForgetting: false, isGone: false, refusedCount: 0, toldCount: 0, lookCount: 0 },
    answersAfter: Promise.resolve(),
  })

  const hungUp = () => Object.assign(new Error('lost'), { name: 'KafkaJSConnectionClosedError' })

  const forgetting =
    (state: Forgetful) =>
    (connections: Connections): Connections => {
      const told = (broker: ClientBroker): ClientBroker => {
        const addPartitionsToTxn: ClientBroker['addPartitionsToTxn'] = async (request) => {
          if (state.isGone) {
            state.refusedCount++
            throw hungUp()
          }
          const heard = (request.topics as TopicPartitions).map(({ topic, partitions }) => ({
            topic,
            partitions: partitions.filter((partition) => partition !== 1 || !state.isForgetting),
          }))
          const answer = await broker.addPartitionsToTxn({ ...request, topics: heard })
          state.toldCount++
          return answer
        }
        return new Proxy(broker, {
          get: (its, name) => {
            if (name === 'listOffsets') state.lookCount++
            if (name === 'addPartitionsToTxn') return addPartitionsToTxn
            const value: unknown = Reflect.get(its, name)
            return typeof value === 'function' ? value.bind(its) : value
          },
        })
      }
      const lane = (purpose: string, address: Address): Lane => {
        const real = connections.lane(purpose, address)
        return {
          use: (call) => real.use((broker) => call(told(broker))),
          send: async (call) => {
            const answer = await real.send(call)
            if (call.request.apiName === 'Produce') await state.answersAfter
            return answer
          },
        }
      }
      return { ...connections, lane }
    }

  const openForgetful = async (state: Forgetful, checkAfterMs: number) => {
    const connections = forgetting(state)(
      createConnections({ clientId: 'other', logger, connectionTimeoutMs: 2000, requestTimeoutMs: 9000 }),
    )
    const topicNames = Object.keys(topics).map((name) => topicPrefix + name)
    const directory = createDirectory(connections, { seeds: kafka.brokers.split(',').map(addressOf), topicNames })
    const cluster: Cluster = { connections, directory, topicPrefix, patienceMs: 10_000, appended: createAppended() }
    const parts = { cluster, writerId: 'w', isTransactional: true, nowMs: Date.now, topicTable: topics }
    return openKafkaWriter({ ...parts, checkAfterMs })
  }

  it('shows an append in every partition though its writer rests', async () => {
    const state = attentive()
    const writer = await openForgetful(state, 200)
    state.isForgetting = true
    await writer.append([fact(0, 'marked'), fact(1, 'not marked')])
    state.isForgetting = false
    await log.waitForAppend({ topic: 'chain-a-facts', partition: 1, offset: 0 }, never)
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['marked'])
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['not marked'])
    await writer.close()
  })

  it('shows it though its writer is busy elsewhere, and takes nothing from what that appends meanwhile', async () => {
    const state = attentive()
    const writer = await openForgetful(state, 20)
    state.isForgetting = true
    await writer.append([fact(1, 'not marked')])
    state.isForgetting = false
    const isShown = async () => (await valuesOf(log, 'chain-a-facts', 1)).length > 0
    const texts: string[] = []
    for (let count = 0; !(await isShown()); count++) {
      await writer.append([fact(0, String(count))])
      texts.push(String(count))
    }
    await writer.append([fact(0, 'last')])
    await writer.close()
    await log.openWriter('w')
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal([...texts, 'last'])
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['not marked'])
  })

  it('makes up for the mark between two appends', async () => {
    const state = attentive()
    const writer = await openForgetful(state, 20)
    state.isForgetting = true
    await writer.append([fact(1, 'not marked')])
    state.isForgetting = false
    let answer = () => {}
    state.answersAfter = new Promise((resolve) => {
      answer = resolve
    })
    const { toldCount, lookCount } = state
    const appending = writer.append([fact(0, 'slow')])
    // Each look is two questions.
    while (state.lookCount < lookCount + 6 || state.toldCount === toldCount) await delay(5)
    expect(state.toldCount).to.equal(toldCount + 1)
    answer()
    await appending
    await log.waitForAppend({ topic: 'chain-a-facts', partition: 1, offset: 0 }, never)
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['slow'])
    await writer.close()
  })

  it('says with the next append that the mark could not be made up for', async () => {
    const state = attentive()
    const writer = await openForgetful(state, 20)
    state.isForgetting = true
    await writer.append([fact(1, 'not marked')])
    state.isGone = true
    while (state.refusedCount === 0) await delay(5)
    await expectFailure(writer.append([fact(0, 'never')]), 'log_unavailable')
    state.isGone = false
    state.isForgetting = false
    await (await writer.reopen()).close()
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['not marked'])
  })
})
