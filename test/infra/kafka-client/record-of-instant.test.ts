import { expect } from 'chai'
import { PartitionReader } from '../../../infra/kafka-client/partition-reader.ts'
import { Producer } from '../../../infra/kafka-client/producer.ts'
import { createKafkaDouble, type KafkaDouble } from '../../support/log/kafka-double/kafka-double.ts'
import { codes } from '../../support/log/kafka-double/partition.ts'

describe('the first record at or after an instant', () => {
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

  /** One batch of so many records. */
  const append = async (timestampMs: number, count: number, isTransactional = false) => {
    const records = Array.from({ length: count }, () => ({ key: 'k', value: Buffer.from('v') }))
    await producer.send([{ topic: 'facts', partition: 0, records }], { isTransactional, timestampMs })
  }
  /**
   * Appends a batch in a transaction. `isCommit` is null for a transaction that stays open. A marker has the
   * timestamp 1.
   */
  const appendWithin = async (timestampMs: number, count: number, isCommit: boolean | null) => {
    await producer.addPartitions([{ topic: 'facts', partitions: [0] }])
    await append(timestampMs, count, true)
    if (isCommit !== null) await producer.end(isCommit)
  }
  const expectAt = async (expected: Readonly<Record<number, number>>) => {
    const found: Record<number, number> = {}
    for (const atMs of Object.keys(expected).map(Number)) found[atMs] = await reader.offsetAt(atMs)
    expect(found).to.deep.equal(expected)
  }

  it('begins its batch, and after the last record it is the end', async () => {
    await expectAt({ 0: 0, 99: 0 })
    await append(10, 2)
    await append(20, 3)
    await append(30, 1)
    await expectAt({ 0: 0, 10: 0, 11: 2, 20: 2, 21: 5, 30: 5 })
    kafka.take()
    await expectAt({ 31: 6 })
    expect(kafka.take().filter((line) => line.startsWith('Fetch'))).to.deep.equal([])
  })

  it('is no marker, whose time is of the broker, and no aborted record', async () => {
    await appendWithin(0, 2, true)
    await appendWithin(0, 1, false)
    await append(5, 2)
    await appendWithin(8, 1, false)
    await append(9, 1)
    // The offsets: 0 and 1 are committed, 3 and 7 are aborted, and 2, 4 and 8 are markers. 5, 6 and 9 are
    // outside of transactions.
    await expectAt({ 0: 0, 1: 5, 5: 5, 6: 9, 8: 9, 10: 10 })
  })

  it('is the first record that is kept, inside the batch that retention has cut', async () => {
    await append(10, 4)
    await append(20, 1)
    kafka.partition('facts', 0).deleteBefore(3)
    await expectAt({ 0: 3, 10: 3, 11: 4 })
  })

  it('is not in an open transaction, nor behind its begin', async () => {
    await append(10, 1)
    await appendWithin(20, 2, null)
    await expectAt({ 10: 0, 15: 1, 20: 1, 30: 1 })
    await producer.end(true)
    await expectAt({ 15: 1, 20: 1, 30: 4 })
  })

  it('is found again after the leader has moved or a connection has failed', async () => {
    await append(10, 2)
    await append(20, 1)
    kafka.next('ListOffsets', codes.notLeader)
    kafka.next('Fetch', 'lost')
    await expectAt({ 11: 2 })
  })
})
