import { expect } from 'chai'
import { PartitionReader } from '../../../infra/kafka-client/partition-reader.ts'
import { Producer } from '../../../infra/kafka-client/producer.ts'
import { createKafkaDouble, type KafkaDouble } from '../../support/log/kafka-double/kafka-double.ts'

describe('the last committed record of a partition', () => {
  let kafka: KafkaDouble
  let reader: PartitionReader
  let producer: Producer

  beforeEach(async () => {
    kafka = createKafkaDouble({ facts: 1 })
    const cluster = kafka.clusterOf()
    reader = new PartitionReader(cluster, { topic: 'facts', partition: 0 })
    producer = await Producer.begin({ cluster, transactionalId: 'w', transactionTimeoutMs: 8000 }, 1000)
  })
  afterEach(() => kafka.expectDone())

  /** One batch. */
  const append = async (...values: readonly string[]) => {
    const records = values.map((value) => ({ key: 'k', value: Buffer.from(value) }))
    await producer.send([{ topic: 'facts', partition: 0, records }], { isTransactional: false, timestampMs: 1 })
  }
  /** Appends a batch in a transaction that stays open. */
  const appendWithin = async (...values: readonly string[]) => {
    await producer.addPartitions([{ topic: 'facts', partitions: [0] }])
    const records = values.map((value) => ({ key: 'k', value: Buffer.from(value) }))
    await producer.send([{ topic: 'facts', partition: 0, records }], { isTransactional: true, timestampMs: 1 })
  }
  /** Aborts `count` transactions. Each takes two offsets, for an aborted record and its marker. */
  const abort = async (count: number) => {
    for (let time = 0; time < count; time++) {
      await appendWithin('never')
      await producer.end(false)
    }
  }
  const bounds = async () => {
    const { startOffset, endOffset } = await reader.bounds()
    return [startOffset, endOffset]
  }
  /** Returns the offsets of the fetch requests that the brokers got since the last call. */
  const fetched = () =>
    kafka
      .take()
      .flatMap((line) => /^Fetch facts\/0 from (\d+), 262144 bytes, 0 ms$/.exec(line)?.[1] ?? [])
      .map(Number)

  it('is not looked for in an empty partition', async () => {
    kafka.take()
    expect(await bounds()).to.deep.equal([0, 0])
    expect(fetched()).to.deep.equal([])
  })

  it('is found at the end with one question', async () => {
    await append('a', 'b', 'c')
    await append('d', 'e')
    expect(await bounds()).to.deep.equal([0, 5])
    expect(fetched()).to.deep.equal([3])
  })

  it('is found before the marker of its transaction with one question', async () => {
    await append('a')
    await appendWithin('b', 'c')
    await producer.end(true)
    expect(await bounds()).to.deep.equal([0, 3])
    expect(fetched()).to.deep.equal([2])
  })

  it('is found in front of one aborted record with two questions', async () => {
    await append('a', 'b', 'c')
    await abort(1)
    expect(await bounds()).to.deep.equal([0, 3])
    expect(fetched()).to.deep.equal([3, 0])
  })

  it('is found behind aborted records and markers in few questions, each further back', async () => {
    await append('a')
    await append('b')
    await abort(40)
    expect(await bounds()).to.deep.equal([0, 2])
    expect(fetched()).to.deep.equal([80, 50, 0])
  })

  it('is found where an answer does not hold all records that are looked through', async () => {
    const large = 'x'.repeat(200_000)
    await append('a')
    for (const size of [1, 2]) await append(large.slice(size))
    await abort(1)
    expect(await bounds()).to.deep.equal([0, 3])
    // The answer from offset 0 holds the small record and only one of the two large records.
    expect(fetched()).to.deep.equal([3, 0, 2])
  })

  it('is none of an open transaction, nor after its begin', async () => {
    await append('a')
    await appendWithin('b')
    const cluster = kafka.clusterOf()
    const other = await Producer.begin({ cluster, transactionalId: 'v', transactionTimeoutMs: 8000 }, 1000)
    const records = [{ key: 'k', value: Buffer.from('c') }]
    await other.send([{ topic: 'facts', partition: 0, records }], { isTransactional: false, timestampMs: 1 })
    expect(await bounds()).to.deep.equal([0, 1])
    await producer.end(true)
    expect(await bounds()).to.deep.equal([0, 3])
  })

  it('is remembered, and looked for only in what came since', async () => {
    await append('a')
    await abort(3)
    await bounds()
    kafka.take()
    expect(await bounds()).to.deep.equal([0, 1])
    expect(fetched()).to.deep.equal([])
    await abort(20)
    expect(await bounds()).to.deep.equal([0, 1])
    expect(fetched()).to.deep.equal([45, 15, 7])
    await append('b')
    expect(await bounds()).to.deep.equal([0, 48])
    expect(fetched()).to.deep.equal([47])
  })

  it('is none before the first record that is kept, where the partition begins and ends', async () => {
    await append('a')
    await abort(3)
    kafka.partition('facts', 0).deleteBefore(3)
    expect(await bounds()).to.deep.equal([3, 3])
    expect(fetched()).to.deep.equal([5, 3])
  })

  it('was deleted after it was found', async () => {
    await append('a', 'b')
    await bounds()
    await abort(3)
    kafka.partition('facts', 0).deleteBefore(5)
    expect(await bounds()).to.deep.equal([5, 5])
  })

  it('is found between two offsets, also inside a batch, or is none', async () => {
    for (const value of ['a', 'b', 'c']) await append(value)
    await append('d', 'e', 'f')
    await abort(2)
    for (const [from, until, expected] of [
      [0, 6, 6],
      [0, 2, 2],
      [0, 5, 5],
      [4, 5, 5],
      [3, 3, null],
      [6, 10, null],
      [0, 10, 6],
    ] as const)
      expect(await reader.recordEndBetween(from, until), `${from} to ${until}`).to.equal(expected)
  })
})
