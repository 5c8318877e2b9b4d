import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { addressOf } from '../../../../infra/kafka-client/broker-address.ts'
import { createCluster } from '../../../../infra/kafka-client/cluster.ts'
import { type Connections, createConnections, type NodeConnection } from '../../../../infra/kafka-client/connections.ts'
import { createDirectory } from '../../../../infra/kafka-client/directory.ts'
import { type Address, createErrorFromCode, type KafkajsBroker } from '../../../../infra/kafka-client/kafkajs-parts.ts'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import { openKafkaWriter } from '../../../../infra/log/kafka/kafka-writer.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'

const logger = pino({ level: 'silent' })
const { signal: never } = new AbortController()

/**
 * A commit or an abort is answered before all of its markers are written. If the broker is restarted in
 * between, a marker may be lost.
 */
describe('a log whose broker has lost a marker', () => {
  let kafka: LocalKafka
  let systemCount = 0
  let topicPrefix: string
  let log: Log

  before(async () => {
    // By default, a broker refuses records of a partition that is not in the transaction.
    kafka = await startKafka({ brokerSettings: { 'transaction.partition.verification.enable': 'false' } })
  })
  beforeEach(async () => {
    topicPrefix = `system-${systemCount++}-`
    log = await createKafkaLog({ brokers: kafka.brokers.split(','), nowMs: Date.now, logger, topicPrefix })
  })
  afterEach(() => log?.close())
  after(() => kafka?.stop())

  type Lossy = {
    /** The proxy does not add partition 1 to the transaction, so its records are stored without a marker. */
    isLosing: boolean
    /** The proxy closes the connection when partitions are added. */
    isGone: boolean
    /** The number of connections that the proxy has closed. */
    refusedCount: number
    /**
     * The number of accepted requests to add partitions. The broker refuses these requests while the last
     * transaction is ending.
     */
    toldCount: number
    /** The number of requests for end offsets. */
    lookCount: number
    /** A Produce request is answered only after this promise. */
    answersAfter: Promise<void>
    /** The error in the answer after records were stored. 0 means no error. */
    produceErrorCode: number
    /** True for a broker that does not support DescribeTransactions, and closes the connection. */
    isOld: boolean
  }
  const lossless = (): Lossy => ({
    ...{ isLosing: false, isGone: false, refusedCount: 0, toldCount: 0, lookCount: 0 },
    ...{ answersAfter: Promise.resolve(), produceErrorCode: 0, isOld: false },
  })

  const hungUp = () => Object.assign(new Error('lost'), { name: 'KafkaJSConnectionClosedError' })
  const hangingUp = { getConnection: () => Promise.reject(hungUp()) }

  const losing =
    (state: Lossy) =>
    (connections: Connections): Connections => {
      const told = (broker: KafkajsBroker): KafkajsBroker => {
        const addPartitionsToTxn: KafkajsBroker['addPartitionsToTxn'] = async (request) => {
          if (state.isGone) {
            state.refusedCount++
            throw hungUp()
          }
          const heard = request.topics.map(({ topic, partitions }) => ({
            topic,
            partitions: partitions.filter((partition) => partition !== 1 || !state.isLosing),
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
      const to = (purpose: string, address: Address): NodeConnection => {
        const real = connections.to(purpose, address)
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
      return { ...connections, to }
    }

  const openLossy = async (state: Lossy, checkAfterMs: number) => {
    const connections = losing(state)(
      createConnections({ clientId: 'other', logger, connectionTimeoutMs: 2000, requestTimeoutMs: 9000 }),
    )
    const topicNames = Object.keys(topics).map((name) => topicPrefix + name)
    const directory = createDirectory(connections, { seeds: kafka.brokers.split(',').map(addressOf), topicNames })
    const cluster = createCluster({ connections, directory, patienceMs: 10_000 })
    const parts = { cluster, topicPrefix, writerId: 'w', isTransactional: true, nowMs: Date.now, topicTable: topics }
    return openKafkaWriter({ ...parts, checkAfterMs })
  }

  it('shows an append in every partition although its writer is idle', async () => {
    const state = lossless()
    const writer = await openLossy(state, 200)
    state.isLosing = true
    await writer.append([fact(0, 'with marker'), fact(1, 'no marker')])
    state.isLosing = false
    await log.waitForAppend({ topic: 'chain-a-facts', partition: 1, offset: 0 }, never)
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['with marker'])
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['no marker'])
    await writer.close()
  })

  it('shows it although its writer is busy elsewhere, and does not disturb the appends meanwhile', async () => {
    const state = lossless()
    const writer = await openLossy(state, 20)
    state.isLosing = true
    await writer.append([fact(1, 'no marker')])
    state.isLosing = false
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
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['no marker'])
  })

  it('replaces the marker between two appends', async () => {
    const state = lossless()
    const writer = await openLossy(state, 20)
    state.isLosing = true
    await writer.append([fact(1, 'no marker')])
    state.isLosing = false
    let answer = () => {}
    state.answersAfter = new Promise((resolve) => {
      answer = resolve
    })
    const { toldCount, lookCount } = state
    const appending = writer.append([fact(0, 'slow')])
    // Each check is two requests.
    while (state.lookCount < lookCount + 6 || state.toldCount === toldCount) await delay(5)
    expect(state.toldCount).to.equal(toldCount + 1)
    answer()
    await appending
    await log.waitForAppend({ topic: 'chain-a-facts', partition: 1, offset: 0 }, never)
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['slow'])
    await writer.close()
  })

  it('fails the next append if the marker could not be replaced', async () => {
    const state = lossless()
    const writer = await openLossy(state, 20)
    state.isLosing = true
    await writer.append([fact(1, 'no marker')])
    state.isGone = true
    while (state.refusedCount === 0) await delay(5)
    await expectFailure(writer.append([fact(0, 'never')]), 'log_unavailable')
    state.isGone = false
    state.isLosing = false
    await (await writer.reopen()).close()
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['no marker'])
  })

  /** An interval that is longer than the test, so that the writer does not check by itself. */
  const neverMs = 60_000

  /** Returns a writer whose append to both partitions failed after the records were stored. */
  const failInAppend = async (state: Lossy, produceErrorCode: number) => {
    const writer = await openLossy(state, neverMs)
    await writer.append([fact(0, 'a'), fact(1, 'a')])
    Object.assign(state, { isLosing: true, produceErrorCode })
    await expectFailure(
      writer.append([fact(0, 'failed'), fact(1, 'failed')]),
      produceErrorCode === notAuthorized ? 'log_failed' : 'log_unavailable',
    )
    Object.assign(state, { isLosing: false, produceErrorCode: 0 })
    return writer
  }
  const expectWhole = async (...texts: readonly string[]) => {
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(texts)
    expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(texts)
  }
  const notAuthorized = 29
  const outOfOrder = 45

  for (const [code, end] of [
    [notAuthorized, 'aborted by its writer'],
    [outOfOrder, 'left open'],
  ] as const) {
    it(`shows nothing of a failed append that was ${end} after its writer is opened`, async () => {
      await failInAppend(lossless(), code)
      const second = await log.openWriter('w')
      await second.append([fact(0, 'b'), fact(1, 'b')])
      await expectWhole('a', 'b')
    })

    it(`shows nothing of a failed append that was ${end} after its writer is reopened`, async () => {
      const writer = await failInAppend(lossless(), code)
      const again = await writer.reopen()
      await again.append([fact(0, 'b'), fact(1, 'b')])
      await expectWhole('a', 'b')
    })
  }

  it('shows nothing of a failed append although reopening the writer first failed before the marker', async () => {
    const state = lossless()
    const writer = await failInAppend(state, notAuthorized)
    state.isGone = true
    await expectFailure(writer.reopen(), 'log_unavailable')
    state.isGone = false
    await (await writer.reopen()).close()
    await expectWhole('a')
  })

  for (const isOld of [false, true])
    it(`shows a commit after its writer is opened${isOld ? ', although the broker cannot describe transactions' : ''}`, async () => {
      const state = { ...lossless(), isOld }
      const writer = await openLossy(state, neverMs)
      state.isLosing = true
      await writer.append([fact(0, 'a'), fact(1, 'a')])
      state.isLosing = false
      await (await openLossy(state, neverMs)).close()
      await expectWhole('a')
    })

  it('shows a commit although reopening the writer first failed before the marker', async () => {
    const state = lossless()
    const writer = await openLossy(state, neverMs)
    state.isLosing = true
    await writer.append([fact(0, 'a'), fact(1, 'a')])
    Object.assign(state, { isLosing: false, isGone: true })
    await expectFailure(writer.reopen(), 'log_unavailable')
    state.isGone = false
    await (await writer.reopen()).close()
    await expectWhole('a')
  })
})
