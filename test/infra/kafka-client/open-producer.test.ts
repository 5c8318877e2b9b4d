import { expect } from 'chai'
import { answerOf } from '../../../infra/kafka-client/broker-errors.ts'
import type { Cluster } from '../../../infra/kafka-client/cluster.ts'
import { openProducer } from '../../../infra/kafka-client/open-producer.ts'
import type { Producer } from '../../../infra/kafka-client/producer.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { createKafkaDouble, type KafkaDouble } from '../../support/log/kafka-double/kafka-double.ts'
import { codes } from '../../support/log/kafka-double/partition.ts'
import type { Api } from '../../support/log/kafka-double/script.ts'
import { createSteppingClock } from './stepping-clock.ts'

describe('opening a producer', () => {
  let kafka: KafkaDouble
  let cluster: Cluster
  let begun: Producer[]

  beforeEach(() => {
    kafka = createKafkaDouble({ facts: 3, ticks: 1 })
    cluster = kafka.clusterOf()
    begun = []
  })
  afterEach(() => kafka.expectDone())

  const all = [
    { topic: 'facts', partitions: [0, 1, 2] },
    { topic: 'ticks', partitions: [0] },
  ]
  const open = (isTransactional: boolean, after: Producer | null = null) =>
    openProducer(
      { cluster, transactionalId: 'w', isTransactional, partitions: all },
      { after, onBegun: (producer) => begun.push(producer) },
    )
  const append = async (producer: Producer, value: string) => {
    await producer.addPartitions([{ topic: 'facts', partitions: [0, 1] }])
    const records = [{ key: 'k', value: Buffer.from(value) }]
    const groups = [0, 1].map((partition) => ({ topic: 'facts', partition, records }))
    await producer.send(groups, { isTransactional: true, timestampMs: 1 })
  }
  const writerCount = () => kafka.openPurposes().filter((purpose) => purpose.startsWith('writer')).length
  const looks = ['ListOffsets stable facts[0,2] ticks[0]', 'ListOffsets all facts[0,2] ticks[0]']
  const others = ['ListOffsets stable facts[1]', 'ListOffsets all facts[1]']

  it('looks for the last transaction, fences the predecessor and looks for open transactions', async () => {
    const producer = await open(true)
    const lines = kafka.take()
    expect(lines.slice(0, 2)).to.deep.equal(['DescribeTransactions w', 'InitProducerId w after -1:-1 within 10000'])
    expect(lines.slice(2)).to.have.members([...looks, ...others])
    expect(begun).to.deep.equal([producer])
    expect(writerCount()).to.equal(1)
  })

  it('ends the transaction of a predecessor that died, so that readers wait for nothing', async () => {
    await append(await open(true), 'half')
    const second = await open(true)
    expect(await kafka.values('facts', 0)).to.deep.equal([])
    expect(kafka.partition('facts', 0).stableOffset()).to.equal(kafka.partition('facts', 0).endOffset())
    await append(second, 'whole')
    await second.end(true)
    expect(await kafka.values('facts', 0)).to.deep.equal(['whole'])
  })

  for (const [isCommit, outcome, shown] of [
    [true, 'commit', ['value']],
    [false, 'abort', []],
  ] as const)
    it(`replaces a lost marker by one of the same outcome, ${outcome}, in its partition only`, async () => {
      const first = await open(true)
      await append(first, 'value')
      kafka.coordinator.losing.add('facts/1')
      await first.end(isCommit)
      kafka.coordinator.losing.clear()
      kafka.take()
      const second = await open(true)
      const lines = kafka.take()
      expect(lines.slice(-3)).to.deep.equal([
        'AddPartitionsToTxn w 4000:1 facts[1]',
        `EndTxn w 4000:1 ${outcome}`,
        'InitProducerId w after 4000:1 within 10000',
      ])
      expect(await kafka.values('facts', 1)).to.deep.equal(shown)
      expect(begun.at(-1)).to.equal(second)
      expect(begun).to.have.lengthOf(3)
      // The first and the last producer still have their connections.
      expect(writerCount()).to.equal(2)
    })

  it('marks every partition outside transactions, and then takes one more epoch', async () => {
    const producer = await open(false)
    expect(kafka.take()).to.deep.equal([
      'DescribeTransactions w',
      'InitProducerId w after -1:-1 within 10000',
      'AddPartitionsToTxn w 4000:0 facts[0,1,2] ticks[0]',
      'EndTxn w 4000:0 commit',
      'InitProducerId w after 4000:0 within 10000',
    ])
    expect(begun).to.have.lengthOf(2)
    expect(begun[1]).to.equal(producer)
    expect(writerCount()).to.equal(1)
  })

  it('names the predecessor that it is given, and fails if a later producer has fenced it', async () => {
    const first = await open(true)
    kafka.take()
    await open(true, first)
    expect(kafka.take()).to.include('InitProducerId w after 4000:0 within 10000')
    await open(true)
    const [kept, count] = [begun.length, writerCount()]
    const failing = open(true, first)
    await expectFailure(failing, 'log_failed')
    expect(answerOf(await failing.catch((error: unknown) => error))).to.equal('INVALID_PRODUCER_EPOCH')
    expect([begun.length, writerCount()]).to.deep.equal([kept, count])
  })

  for (const [api, errorCode] of [
    ['AddPartitionsToTxn', codes.notAuthorized],
    ['EndTxn', codes.idNotAuthorized],
    ['ListOffsets', codes.notAuthorized],
  ] as const)
    it(`leaves no connection of a producer if ${api} fails, and remembers the outcome for the next opening`, async () => {
      const first = await open(true)
      await append(first, 'value')
      kafka.coordinator.losing.add('facts/1')
      await first.end(false)
      kafka.coordinator.losing.clear()
      first.close()
      kafka.next(api, errorCode)
      await expectFailure(open(true), 'log_failed')
      expect(writerCount()).to.equal(0)
      // The coordinator no longer has the outcome of that append, because the failed opening took an epoch.
      await open(true, begun.at(-1) ?? null)
      expect(await kafka.values('facts', 1)).to.deep.equal([])
      expect([...cluster.lastTransactions]).to.deep.equal([])
    })

  it('leaves no connection of a producer if the epoch after its markers is refused', async () => {
    kafka.next('InitProducerId', 'served', codes.idNotAuthorized)
    await expectFailure(open(false), 'log_failed')
    expect(writerCount()).to.equal(0)
  })

  // Each request takes 4 s. So the limit of 15 s passes during request 4, and the limit of 5 s passes during
  // request 2. An attempt to find open transactions asks two brokers.
  for (const api of ['DescribeTransactions', 'InitProducerId', 'ListOffsets'] as const satisfies readonly Api[])
    it(`is tried for 15 seconds at ${api}, and for 5 seconds after a failure`, async () => {
      const first = await open(true)
      const clock = createSteppingClock()
      try {
        kafka.always(api, () => {
          clock.move(4000)
          return codes.loading
        })
        const attempts = async (after: Producer | null) => {
          kafka.take()
          await expectFailure(open(true, after), 'log_unavailable')
          return kafka.take().filter((line) => line.startsWith(api)).length
        }
        expect([await attempts(null), await attempts(begun.at(-1) ?? first)]).to.deep.equal([4, 2])
      } finally {
        clock.restore()
      }
    })
})
