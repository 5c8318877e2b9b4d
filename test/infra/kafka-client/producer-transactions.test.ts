import { expect } from 'chai'
import { answerOf } from '../../../infra/kafka-client/broker-errors.ts'
import type { Cluster } from '../../../infra/kafka-client/cluster.ts'
import { Producer, type RecordGroup } from '../../../infra/kafka-client/producer.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { createDeferred } from '../../support/log/kafka-double/deferred.ts'
import { createKafkaDouble, type KafkaDouble } from '../../support/log/kafka-double/kafka-double.ts'
import { codes } from '../../support/log/kafka-double/partition.ts'

describe('the transactions of a producer', () => {
  let kafka: KafkaDouble
  let cluster: Cluster

  beforeEach(() => {
    kafka = createKafkaDouble({ facts: 4 })
    cluster = kafka.clusterOf()
  })
  afterEach(() => kafka.expectDone())

  const begin = (after: Producer | null = null, patienceMs = 1000) =>
    Producer.begin({ cluster, transactionalId: 'w', transactionTimeoutMs: 8000 }, patienceMs, after)
  const group = (partition: number, ...values: readonly string[]): RecordGroup => ({
    ...{ topic: 'facts', partition, records: values.map((value) => ({ key: 'k', value: Buffer.from(value) })) },
  })
  const inside = { isTransactional: true, timestampMs: 5 }
  const partitions = (...its: readonly number[]) => [{ topic: 'facts', partitions: its }]
  /** Expects a permanent failure with the error that the broker calls `answer`. */
  const expectAnswer = async (outcome: Promise<unknown>, answer: string) => {
    const failing = outcome.catch((error: unknown) => expect(answerOf(error), String(error)).to.equal(answer))
    await Promise.all([failing, expectFailure(outcome, 'log_failed')])
  }
  describe('that ends a transaction', () => {
    const opened = async () => {
      const producer = await begin()
      await producer.addPartitions([{ topic: 'facts', partitions: [0, 1] }])
      await producer.send([group(0, 'a'), group(1, 'b')], inside)
      kafka.take()
      return producer
    }
    const values = async () => [...(await kafka.values('facts', 0)), ...(await kafka.values('facts', 1))]

    for (const [isCommit, result, shown] of [
      [true, 'commit', ['a', 'b']],
      [false, 'abort', []],
    ] as const)
      it(`shows ${shown.length === 0 ? 'nothing' : 'all'} after its ${result}`, async () => {
        const producer = await opened()
        expect(await values()).to.deep.equal([])
        await producer.end(isCommit)
        expect(kafka.take()).to.include(`EndTxn w 4000:0 ${result}`)
        expect(await values()).to.deep.equal(shown)
      })

    for (const step of ['lost', 'answer lost'] as const)
      it(`is not asked again if the request meets "${step}"`, async () => {
        const producer = await opened()
        kafka.next('EndTxn', step)
        await expectFailure(producer.end(true), 'log_unavailable')
        expect(kafka.take()).to.deep.equal(['EndTxn w 4000:0 commit'])
        expect(await values()).to.deep.equal(step === 'lost' ? [] : ['a', 'b'])
      })

    it('waits for a late answer', async () => {
      const producer = await opened()
      const late = createDeferred()
      kafka.next('EndTxn', late.promise)
      let isEnded = false
      const ending = producer.end(true).then(() => {
        isEnded = true
      })
      await kafka.values('facts', 0)
      expect(isEnded).to.equal(false)
      late.resolve()
      await ending
      expect(await values()).to.deep.equal(['a', 'b'])
    })

    it('fails with its connection if it is closed before the answer', async () => {
      const producer = await opened()
      kafka.next('EndTxn', new Promise(() => {}))
      const arrived = kafka.arrival('EndTxn')
      const ending = producer.end(true)
      await arrived
      producer.close()
      await expectFailure(ending, 'log_unavailable')
      expect(kafka.take()).to.have.lengthOf(1)
    })

    for (const code of [codes.concurrent, codes.loading, codes.notCoordinator])
      it(`is asked again after code ${code}`, async () => {
        const producer = await opened()
        kafka.next('EndTxn', code)
        await producer.end(true)
        expect(kafka.take()).to.deep.equal(['EndTxn w 4000:0 commit', 'EndTxn w 4000:0 commit'])
        expect(await values()).to.deep.equal(['a', 'b'])
      })

    for (const [code, answer] of [
      [codes.invalidState, 'INVALID_TXN_STATE'],
      [codes.idNotAuthorized, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
    ] as const)
      it(`fails at once with code ${code}, named ${answer}`, async () => {
        const producer = await opened()
        kafka.next('EndTxn', code)
        await expectAnswer(producer.end(true), answer)
        expect(kafka.take()).to.have.lengthOf(1)
      })

    it('is refused at the coordinator after a later producer has aborted its transaction', async () => {
      const first = await opened()
      await begin()
      await expectAnswer(first.end(true), 'INVALID_PRODUCER_EPOCH')
      await expectAnswer(first.addPartitions(partitions(0)), 'INVALID_PRODUCER_EPOCH')
      expect(await values()).to.deep.equal([])
    })

    for (const step of ['lost', 'answer lost', codes.concurrent] as const)
      it(`adds partitions again after "${step}"`, async () => {
        const producer = await begin()
        kafka.take()
        kafka.next('AddPartitionsToTxn', step)
        await producer.addPartitions(partitions(2, 3))
        const line = 'AddPartitionsToTxn w 4000:0 facts[2,3]'
        expect(kafka.take()).to.deep.equal([line, line])
      })
  })
})
