import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { addressOf } from '../../../../infra/kafka-client/broker-address.ts'
import { createCluster } from '../../../../infra/kafka-client/cluster.ts'
import { type Connections, createConnections, type Lane } from '../../../../infra/kafka-client/connections.ts'
import { createDirectory } from '../../../../infra/kafka-client/directory.ts'
import { type Address, createErrorFromCode, type KafkajsBroker } from '../../../../infra/kafka-client/kafkajs-parts.ts'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import { openKafkaWriter } from '../../../../infra/log/kafka/kafka-writer.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'

const logger = pino({ level: 'silent' })
const { signal: never } = new AbortController()

/** As a broker does that is restarted between the answer to a commit or a rollback and the last of its marks. */
describe('a log whose broker forgot a mark', () => {
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
    /** The coordinator hears nothing of partition 1: its records stand there, and the transaction's end leaves no mark. */
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
    /** The error that it answers with when it has written records. 0: none. */
    produceErrorCode: number
    /** It does not know how to describe a transaction, and hangs up when it is asked to. */
    isOld: boolean
  }
  const attentive = (): Forgetful => ({
    ...{ isForgetting: false, isGone: false, refusedCount: 0, toldCount: 0, lookCount: 0 },
    ...{ answersAfter: Promise.resolve(), produceErrorCode: 0, isOld: false },
  })

  const hungUp = () => Object.assign(new Error('lost'), { name: 'KafkaJSConnectionClosedError' })
  const hangingUp = { getConnection: () => Promise.reject(hungUp()) }

  const forgetting =
    (state: Forgetful) =>
    (connections: Connections): Connections => {
      const told = (broker: KafkajsBroker): KafkajsBroker => {
        const addPartitionsToTxn: KafkajsBroker['addPartitionsToTxn'] = async (request) => {
          if (state.isGone) {
            state.refusedCount++
            throw hungUp()
          }
          const heard = request.topics.map(({ topic, partitions }) => ({
            topic,
            partitions: partitions.filter((partition) => partition !== 1 || !state.isForgetting),
          }))
          const answer = await broker.addPartitionsToTxn({ ...request, topics: heard })
          state.toldCount++
          return answer
        }
        const own = { addPartitionsToTxn, ...(state.isOld ? { versions: {}, connectionPool: hangingUp } : {}) }
        return new Proxy(broker, {
          get: (its, name) => {
            if (name === 'listOffsets') state.lookCount++
            if (name in own) return Reflect.get(own, name)
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
            if (call.request.apiName !== 'Produce') return answer
            await state.answersAfter
            if (state.produceErrorCode !== 0) throw createErrorFromCode(state.produceErrorCode)
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
    const cluster = createCluster({ connections, directory, patienceMs: 10_000 })
    const parts = { cluster, topicPrefix, writerId: 'w', isTransactional: true, nowMs: Date.now, topicTable: topics }
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

  /** Long enough that a writer does not look by itself. */
  const neverMs = 60_000

  /** A writer of an append to both partitions that failed once the records stood there. */
  const failInAppend = async (state: Forgetful, produceErrorCode: number) => {
    const writer = await openForgetful(state, neverMs)
    await writer.append([fact(0, 'a'), fact(1, 'a')])
    Object.assign(state, { isForgetting: true, produceErrorCode })
    await expectFailure(
      writer.append([fact(0, 'failed'), fact(1, 'failed')]),
      produceErrorCode === notAuthorized ? 'log_failed' : 'log_unavailable',
    )
    Object.assign(state, { isForgetting: false, produceErrorCode: 0 })
    return writer
  }
  const expectWhole = async (...texts: readonly string[]) => {
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(texts)
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(texts)
  }
  const notAuthorized = 29
  const outOfOrder = 45

  for (const [code, end] of [
    [notAuthorized, 'rolled back by its writer'],
    [outOfOrder, 'left open'],
  ] as const) {
    it(`shows nothing of a failed append that was ${end}, to whoever opens its writer`, async () => {
      await failInAppend(attentive(), code)
      const second = await log.openWriter('w')
      await second.append([fact(0, 'b'), fact(1, 'b')])
      await expectWhole('a', 'b')
    })

    it(`shows nothing of it where it was ${end} and its writer is opened again`, async () => {
      const writer = await failInAppend(attentive(), code)
      const again = await writer.reopen()
      await again.append([fact(0, 'b'), fact(1, 'b')])
      await expectWhole('a', 'b')
    })
  }

  it('shows nothing of it though opening the writer again was broken off before the mark', async () => {
    const state = attentive()
    const writer = await failInAppend(state, notAuthorized)
    state.isGone = true
    await expectFailure(writer.reopen(), 'log_unavailable')
    state.isGone = false
    await (await writer.reopen()).close()
    await expectWhole('a')
  })

  for (const isOld of [false, true])
    it(`shows a commit to whoever opens its writer${isOld ? ', though the broker cannot say that it was one' : ''}`, async () => {
      const state = { ...attentive(), isOld }
      const writer = await openForgetful(state, neverMs)
      state.isForgetting = true
      await writer.append([fact(0, 'a'), fact(1, 'a')])
      state.isForgetting = false
      await (await openForgetful(state, neverMs)).close()
      await expectWhole('a')
    })

  it('shows it though opening the writer was broken off before the mark', async () => {
    const state = attentive()
    const writer = await openForgetful(state, neverMs)
    state.isForgetting = true
    await writer.append([fact(0, 'a'), fact(1, 'a')])
    Object.assign(state, { isForgetting: false, isGone: true })
    await expectFailure(writer.reopen(), 'log_unavailable')
    state.isGone = false
    await (await writer.reopen()).close()
    await expectWhole('a')
  })
})
