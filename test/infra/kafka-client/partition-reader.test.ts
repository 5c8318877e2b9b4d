import { expect } from 'chai'
import type { FetchAnswer } from '../../../infra/kafka-client/calls/fetch-call.ts'
import { createCluster } from '../../../infra/kafka-client/cluster.ts'
import type { Connections, NodeConnection } from '../../../infra/kafka-client/connections.ts'
import type { KafkajsBroker } from '../../../infra/kafka-client/kafkajs-parts.ts'
import { PartitionReader } from '../../../infra/kafka-client/partition-reader.ts'
import { Producer } from '../../../infra/kafka-client/producer.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { createKafkaDouble, type KafkaDouble } from '../../support/log/kafka-double/kafka-double.ts'

/** The broker has lost the marker of a commit. The producer that could write the marker again has closed. */
describe('a reader of committed records that stay unreadable', () => {
  const stableOffset = 5
  let questionCount = 0

  const readerWith = (patienceMs: number) => {
    questionCount = 0
    const answer: FetchAnswer = {
      errorCode: 0,
      lastStableOffset: stableOffset,
      aborted: [],
      recordSet: Buffer.alloc(0),
    }
    const broker = {
      listOffsets: async () => ({ responses: [{ partitions: [{ offset: String(stableOffset) }] }] }),
    } as unknown as KafkajsBroker
    const lane: NodeConnection = {
      use: (question) => {
        questionCount++
        return question(broker)
      },
      send: async <Answer>() => {
        questionCount++
        return answer as Answer
      },
    }
    const connections: Connections = { to: () => lane, drop: () => {}, close: () => {} }
    const node = { nodeId: 1, host: 'broker', port: 1 }
    const directory = { leaderOf: async () => node, coordinatorOf: async () => node, forget: () => {} }
    const cluster = createCluster({ connections, directory, patienceMs })
    const append = (count: number) => cluster.appended.note('chain-a-derived', 0, stableOffset + count)
    append(1)
    return Object.assign(new PartitionReader(cluster, { topic: 'chain-a-derived', partition: 0 }), { append })
  }

  const readAWhile = async (reader: PartitionReader) => {
    const stop = new AbortController()
    const reading = reader.read(stableOffset, { bytesMax: 1, signal: stop.signal })
    const untilCount = questionCount + 2
    while (questionCount < untilCount) await new Promise(setImmediate)
    stop.abort()
    return await reading
  }

  it('returns nothing once the signal aborts', async () => {
    expect(await readAWhile(readerWith(60_000))).to.deep.equal([])
  })

  it('gives up in the end, so that the writer can be opened again', async () => {
    await expectFailure(readerWith(20).read(stableOffset, { bytesMax: 1 }), 'log_unavailable')
    await expectFailure(readerWith(20).bounds(), 'log_unavailable')
  })

  it('waits again for records that are appended later', async () => {
    const reader = readerWith(100)
    await expectFailure(reader.read(stableOffset, { bytesMax: 1 }), 'log_unavailable')
    reader.append(2)
    questionCount = 0
    await expectFailure(reader.read(stableOffset, { bytesMax: 1 }), 'log_unavailable')
    expect(questionCount).to.be.above(1)
  })
})

describe('a reader of a partition with aborted records', () => {
  let kafka: KafkaDouble
  let reader: PartitionReader
  let producer: Producer

  beforeEach(async () => {
    kafka = createKafkaDouble({ facts: 1 })
    const cluster = kafka.clusterOf()
    reader = new PartitionReader(cluster, { topic: 'facts', partition: 0 })
    producer = await Producer.begin({ cluster, transactionalId: 'w', transactionTimeoutMs: 8000 }, 1000)
    await abort()
    await abort()
    expect(await read(0)).to.deep.equal({ values: [], fetched: [0, 4] })
    expect(await read(0), 'its second read').to.deep.equal({ values: [], fetched: [4] })
  })

  const send = (value: string, isTransactional: boolean) =>
    producer.send([{ topic: 'facts', partition: 0, records: [{ key: 'k', value: Buffer.from(value) }] }], {
      ...{ isTransactional, timestampMs: 1 },
    })
  /** Takes one offset. */
  const append = (value: string) => send(value, false)
  /** Aborts a transaction. It takes two offsets, for an aborted record and its marker. */
  const abort = async () => {
    await producer.addPartitions([{ topic: 'facts', partitions: [0] }])
    await send('never', true)
    await producer.end(false)
  }
  /** Returns the values of a read, and the offsets of its fetches. */
  const read = async (offset: number) => {
    kafka.take()
    const batches = await reader.read(offset, { bytesMax: 1 << 20 })
    const values = batches.flatMap((batch) =>
      Array.from({ length: batch.count }, (_, index) => String(batch.valueAt(index))),
    )
    const fetched = kafka.take().flatMap((line) => /^Fetch facts\/0 from (\d+),/.exec(line)?.[1] ?? [])
    return { values, fetched: fetched.map(Number) }
  }
  const pollAt = async (offset: number) =>
    reader.keep(offset, await reader.fetch(offset, { bytesMax: 1 << 20, waitMs: 0 }))

  it('does not fetch them again when others follow', async () => {
    await abort()
    expect(await read(1)).to.deep.equal({ values: [], fetched: [4, 6] })
    expect(await read(0)).to.deep.equal({ values: [], fetched: [6] })
    await append('a')
    expect(await read(0)).to.deep.equal({ values: ['a'], fetched: [6] })
  })

  it('does not fetch them again after a read at the end, which finds nothing to skip', async () => {
    await append('a')
    await append('b')
    expect(await read(6)).to.deep.equal({ values: [], fetched: [6] })
    expect(await read(0)).to.deep.equal({ values: ['a', 'b'], fetched: [4] })
  })

  it('does not fetch them again after a long poll that finds records', async () => {
    await append('a')
    await append('b')
    await pollAt(0)
    await pollAt(5)
    expect(await read(0)).to.deep.equal({ values: ['a', 'b'], fetched: [4] })
  })

  it('does not fetch again those that a long poll found', async () => {
    await append('a')
    await abort()
    await pollAt(5)
    await pollAt(7)
    expect(await read(5)).to.deep.equal({ values: [], fetched: [7] })
  })
})
