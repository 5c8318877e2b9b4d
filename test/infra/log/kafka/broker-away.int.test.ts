import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { OperationError } from '../../../../infra/errors.ts'
import { addressOf } from '../../../../infra/kafka-client/broker-address.ts'
import { isPassing } from '../../../../infra/kafka-client/broker-errors.ts'
import { type Cluster, createCluster } from '../../../../infra/kafka-client/cluster.ts'
import { type Connections, createConnections, type NodeConnection } from '../../../../infra/kafka-client/connections.ts'
import { createDirectory } from '../../../../infra/kafka-client/directory.ts'
import type { Address } from '../../../../infra/kafka-client/kafkajs-parts.ts'
import { openTransactions } from '../../../../infra/kafka-client/open-transactions.ts'
import { Producer } from '../../../../infra/kafka-client/producer.ts'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import { openKafkaWriter } from '../../../../infra/log/kafka/kafka-writer.ts'
import type { Log, LogWriter } from '../../../../infra/log/log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'

const logger = pino({ level: 'silent' })

describe('a log whose broker or writer fails', () => {
  let kafka: LocalKafka
  let systemCount = 0
  let topicPrefix: string
  let log: Log
  let writer: LogWriter

  before(async () => {
    kafka = await startKafka()
  })
  beforeEach(async () => {
    topicPrefix = `system-${systemCount++}-`
    log = await createKafkaLog({ brokers: kafka.brokers.split(','), nowMs: Date.now, logger, topicPrefix })
    writer = await log.openWriter('w')
    await writer.append([fact(0, 'before')])
  })
  afterEach(() => log?.close())
  after(() => kafka?.stop())

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    it(`continues to read and wait after the broker was restarted by ${signal}, and appends with a new writer`, async () => {
      const { signal: never } = new AbortController()
      const waiting = log.waitForAppend({ topic: 'chain-a-facts', partition: 0, offset: 1 }, never)
      const ledger = await log.openWriter('ledger', { isTransactional: false })
      await kafka.stopBroker(0, signal)
      const reading = valuesOf(log, 'chain-a-facts', 0)
      const bounding = log.bounds('chain-a-facts', 0)
      await expectFailure(writer.append([fact(0, 'lost or not')]), 'log_unavailable')
      await expectFailure(writer.append([fact(0, 'never')]), 'log_closed')
      await delay(3000)
      await kafka.startBroker()
      expect(await reading).to.deep.equal(['before'])
      expect((await bounding).startOffset).to.equal(0)
      // This writer has not noticed the restart, so it continues its sequence numbers.
      await ledger.append([fact(1, 'paid')])
      expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['paid'])
      const second = await log.openWriter('w')
      await second.append([fact(0, 'after')])
      await waiting
      const values = await valuesOf(log, 'chain-a-facts', 0)
      expect(values.filter((text) => text !== 'lost or not')).to.deep.equal(['before', 'after'])
    })

  it('has one writer per name outside transactions after a restart, even if an append was in doubt', async () => {
    const open = () => log.openWriter('ledger', { isTransactional: false })
    const idle = await log.openWriter('idle', { isTransactional: false })
    const first = await open()
    await first.append([fact(1, 'first')])
    await kafka.stopBroker(0, 'SIGKILL')
    await expectFailure(first.append([fact(1, 'in doubt')]), 'log_unavailable')
    await expectFailure(first.reopen(), 'log_unavailable')
    await kafka.startBroker()
    const again = await first.reopen()
    await again.append([fact(1, 'again')])
    const second = await open()
    await expectFailure(again.append([fact(1, 'late')]), 'writer_fenced')
    await expectFailure(again.reopen(), 'writer_fenced')
    await second.append([fact(1, 'second')])
    const values = await valuesOf(log, 'chain-a-facts', 1)
    expect(values.filter((text) => text !== 'in doubt')).to.deep.equal(['first', 'again', 'second'])
    const successor = await log.openWriter('idle', { isTransactional: false })
    await expectFailure(idle.append([fact(1, 'late')]), 'writer_fenced')
    await successor.confirm()
  })

  it('ends a read without records when its signal aborts while no broker answers', async () => {
    await kafka.stopBroker()
    const stop = new AbortController()
    const reading = log.read({ topic: 'chain-a-facts', partition: 0, offset: 0 }, { signal: stop.signal })
    stop.abort()
    expect(await reading).to.deep.equal([])
    await kafka.startBroker()
  })

  /** Opens a cluster without a log. `wrapped` can change the cluster's answers. */
  const openCluster = (wrapped = (connections: Connections) => connections): Cluster => {
    const connections = wrapped(
      createConnections({ clientId: 'other', logger, connectionTimeoutMs: 2000, requestTimeoutMs: 9000 }),
    )
    const topicNames = Object.keys(topics).map((name) => topicPrefix + name)
    const directory = createDirectory(connections, { seeds: kafka.brokers.split(',').map(addressOf), topicNames })
    return createCluster({ connections, directory, patienceMs: 10_000 })
  }

  /** Leaves records in an open transaction, as a writer does that is killed during an append. */
  const dieInsideAppend = async (transactionTimeoutMs = 60_000) => {
    const cluster = openCluster()
    const topic = `${topicPrefix}chain-a-facts`
    const options = { cluster, transactionalId: `${topicPrefix}dead`, transactionTimeoutMs }
    const producer = await Producer.begin(options, 10_000)
    await producer.addPartitions([{ topic, partitions: [0] }])
    const group = { topic, partition: 0, records: [{ key: 'k', value: Buffer.from('half') }] }
    await producer.send([group], { isTransactional: true, timestampMs: Date.now() })
    cluster.connections.close()
  }

  type Kind = 'coordinator' | 'Produce' | 'InitProducerId'

  /**
   * Wraps connections, so that they lose the answer to the n-th request of these kinds. The broker has
   * executed that request. A new value of `n` starts a new count, and 0 means that no answer is lost.
   */
  const losing =
    (kinds: readonly Kind[], which: { n: number }, failure: () => Error) =>
    (connections: Connections): Connections => {
      const isLost = (kind: string) => kinds.some((its) => its === kind) && which.n-- === 1
      const passed = async <Answer>(kind: string, answering: Promise<Answer>): Promise<Answer> => {
        const answer = await answering.catch((refusal: unknown) => {
          // A request that fails temporarily is repeated. Only the last attempt counts as a request.
          throw !isPassing(refusal) && isLost(kind) ? failure() : refusal
        })
        if (isLost(kind)) throw failure()
        return answer
      }
      const to = (purpose: string, address: Address): NodeConnection => {
        const real = connections.to(purpose, address)
        if (!purpose.startsWith('writer')) return real
        return {
          use: (call) => passed('coordinator', real.use(call)),
          send: (call) => passed(call.request.apiName, real.send(call)),
        }
      }
      return { ...connections, to }
    }
  const hungUp = () => Object.assign(new Error('lost'), { name: 'KafkaJSConnectionClosedError' })
  const openOn = (cluster: Cluster, isTransactional: boolean) =>
    openKafkaWriter({
      cluster,
      topicPrefix,
      writerId: 'losing',
      isTransactional,
      nowMs: Date.now,
      topicTable: { ...topics },
      proofEveryMs: 0,
    })

  for (const isTransactional of [true, false])
    it(`stores a record once if its acknowledgement was lost, ${isTransactional ? 'in' : 'outside'} a transaction`, async () => {
      const losingWriter = await openOn(openCluster(losing(['Produce'], { n: 2 }, hungUp)), isTransactional)
      for (const text of ['1', '2', '3']) await losingWriter.append([fact(2, text)])
      await losingWriter.close()
      await log.openWriter('losing')
      expect(await valuesOf(log, 'chain-a-facts', 2)).to.deep.equal(['1', '2', '3'])
    })

  it('fails an append with an unknown outcome if its commit got no answer', async () => {
    // Each append sends two requests to the coordinator. They add the partitions and end the transaction. So
    // request 4 ends the transaction of the append with `unknown`.
    const losingWriter = await openOn(openCluster(losing(['coordinator'], { n: 4 }, hungUp)), true)
    await losingWriter.append([fact(2, 'known')])
    await expectFailure(losingWriter.append([fact(2, 'unknown')]), 'log_unavailable')
    await expectFailure(losingWriter.append([fact(2, 'never')]), 'log_closed')
    const again = await losingWriter.reopen()
    expect(await valuesOf(log, 'chain-a-facts', 2)).to.deep.equal(['known', 'unknown'])
    await again.append([fact(2, 'next')])
    await log.openWriter('losing')
    expect(await valuesOf(log, 'chain-a-facts', 2)).to.deep.equal(['known', 'unknown', 'next'])
  })

  // The requests that reopen a writer. Both kinds of writer need one request for the next epoch. A writer
  // outside of transactions also needs two requests for a marker, and one request for another epoch.
  for (const [isTransactional, requestCount] of [
    [true, 1],
    [false, 4],
  ] as const)
    for (let nth = 1; nth <= requestCount; nth++)
      it(`reopens a writer ${isTransactional ? 'in' : 'outside'} transactions after reopening has failed in request ${nth}`, async () => {
        const which = { n: 0 }
        const gone = () => new OperationError('log_unavailable', 'nobody waits for the answer')
        const losingWriter = await openOn(
          openCluster(losing(['coordinator', 'InitProducerId'], which, gone)),
          isTransactional,
        )
        await losingWriter.append([fact(2, '1')])
        which.n = nth
        await expectFailure(losingWriter.reopen(), 'log_unavailable')
        const again = await losingWriter.reopen()
        await again.append([fact(2, '2')])
        which.n = nth
        await expectFailure(again.reopen(), 'log_unavailable')
        const other = await log.openWriter('losing', { isTransactional })
        await expectFailure(again.reopen(), 'writer_fenced')
        await other.append([fact(2, '3')])
        await log.openWriter('losing', { isTransactional })
        expect(await valuesOf(log, 'chain-a-facts', 2)).to.deep.equal(['1', '2', '3'])
      })

  it('shows nothing of a broken-off append, and continues when its writer is opened again', async () => {
    await dieInsideAppend()
    const others = await log.openWriter('other', { isTransactional: false })
    await others.append([fact(0, 'behind it')])
    await log.openWriter('dead')
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['before', 'behind it'])
  })

  it('has an open transaction until that writer is opened again', async () => {
    const cluster = openCluster()
    const topic = `${topicPrefix}chain-a-facts`
    const look = () => openTransactions(cluster, [{ topic, partitions: [0, 1, 2, 3] }], 5000)
    // A new writer waits until the markers of the last commit are written. The coordinator answers the commit
    // before that.
    await log.openWriter('w')
    expect(await look()).to.deep.equal([])
    await dieInsideAppend()
    expect(await look()).to.deep.equal([{ topic, partitions: [0] }])
    await log.openWriter('dead')
    expect(await look()).to.deep.equal([])
    cluster.connections.close()
  })

  it('continues after the transaction time-out if the writer is not opened again', async () => {
    const reader = await createKafkaLog({ brokers: kafka.brokers.split(','), nowMs: Date.now, logger, topicPrefix })
    const other = await log.openWriter('other', { isTransactional: false })
    // This timeout is long enough for the check that the open transaction hides the record behind it.
    await dieInsideAppend(10_000)
    const { endOffset: offset } = await reader.bounds('chain-a-facts', 0)
    await other.append([fact(0, 'behind it')])
    expect(await valuesOf(reader, 'chain-a-facts', 0)).to.deep.equal(['before'])
    await reader.waitForAppend({ topic: 'chain-a-facts', partition: 0, offset }, new AbortController().signal)
    expect(await valuesOf(reader, 'chain-a-facts', 0)).to.deep.equal(['before', 'behind it'])
    await reader.close()
  })
})
