import { expect } from 'chai'
import { answerOf } from '../../../infra/kafka-client/broker-errors.ts'
import type { Cluster } from '../../../infra/kafka-client/cluster.ts'
import { Producer, type RecordGroup } from '../../../infra/kafka-client/producer.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { createKafkaDouble, type KafkaDouble } from '../../support/log/kafka-double/kafka-double.ts'
import { codes } from '../../support/log/kafka-double/partition.ts'
import type { Step } from '../../support/log/kafka-double/script.ts'
import { createSteppingClock } from './stepping-clock.ts'

describe('a producer', () => {
  let kafka: KafkaDouble
  let cluster: Cluster
  let clock: ReturnType<typeof createSteppingClock>

  beforeEach(() => {
    kafka = createKafkaDouble({ facts: 4 })
    cluster = kafka.clusterOf()
    clock = createSteppingClock()
  })
  afterEach(() => {
    clock.restore()
    kafka.expectDone()
  })

  const begin = (after: Producer | null = null, patienceMs = 1000) =>
    Producer.begin({ cluster, transactionalId: 'w', transactionTimeoutMs: 8000 }, patienceMs, after)
  const group = (partition: number, ...values: readonly string[]): RecordGroup => ({
    ...{ topic: 'facts', partition, records: values.map((value) => ({ key: 'k', value: Buffer.from(value) })) },
  })
  const outside = { isTransactional: false, timestampMs: 5 }
  const partitions = (...its: readonly number[]) => [{ topic: 'facts', partitions: its }]
  /** Expects a permanent failure with the error that the broker calls `answer`. */
  const expectAnswer = async (outcome: Promise<unknown>, answer: string) => {
    const failing = outcome.catch((error: unknown) => expect(answerOf(error), String(error)).to.equal(answer))
    await Promise.all([failing, expectFailure(outcome, 'log_failed')])
  }
  /** Each attempt takes `ms`. */
  const slow = (step: Step, ms: number) => () => {
    clock.move(ms)
    return step
  }

  describe('that is opened', () => {
    it('gets the next epoch of its id, and the first after no producer', async () => {
      for (const epoch of [0, 1, 2]) {
        const producer = await begin()
        await producer.send([group(0, 'a')], outside)
        expect(kafka.take()).to.deep.equal([
          'InitProducerId w after -1:-1 within 8000',
          `Produce - within 4000: facts/0 4000:${epoch} #0+1`,
        ])
      }
    })

    it('names its predecessor, and gets the same epoch again if the answer was lost', async () => {
      const first = await begin()
      kafka.take()
      kafka.next('InitProducerId', 'answer lost')
      const second = await begin(first)
      const asked = 'InitProducerId w after 4000:0 within 8000'
      expect(kafka.take()).to.deep.equal([asked, asked])
      await second.send([group(0, 'a')], outside)
      expect(kafka.take()).to.deep.equal(['Produce - within 4000: facts/0 4000:1 #0+1'])
    })

    it('is refused if its predecessor is not the newest producer, and leaves no connection', async () => {
      const first = await begin()
      await begin()
      await begin()
      const open = kafka.openPurposes()
      await expectAnswer(begin(first), 'INVALID_PRODUCER_EPOCH')
      expect(kafka.openPurposes()).to.deep.equal(open)
    })

    for (const [code, answer] of [
      [codes.fenced, 'INVALID_PRODUCER_EPOCH'],
      [codes.invalidEpoch, 'INVALID_PRODUCER_EPOCH'],
      [codes.idNotAuthorized, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
      [codes.invalidMapping, 'INVALID_PRODUCER_ID_MAPPING'],
    ] as const)
      it(`is refused for good with code ${code}, named ${answer}`, async () => {
        kafka.next('InitProducerId', code)
        await expectAnswer(begin(), answer)
        expect(kafka.take()).to.have.lengthOf(1)
      })

    for (const step of [codes.loading, codes.notCoordinator, codes.concurrent, 'lost'] as const)
      it(`is retried after ${step}`, async () => {
        kafka.next('InitProducerId', step, step)
        await begin()
        expect(kafka.take()).to.have.lengthOf(3)
      })

    it('fails if its patience ends, names the writer and leaves no connection', async () => {
      kafka.always('InitProducerId', slow('lost', 400))
      const outcome = begin()
      await expectFailure(outcome, 'log_unavailable')
      expect(String(await outcome.catch(String))).to.include('opening the writer w failed: no broker answers')
      expect(kafka.take()).to.have.lengthOf(3)
      expect(kafka.openPurposes()).to.deep.equal(['directory'])
    })

    it('finds its coordinator on another broker, and looks for it again only after a failure that a move explains', async () => {
      const producer = await begin()
      kafka.takeAll()
      kafka.next('AddPartitionsToTxn', codes.concurrent)
      await producer.addPartitions(partitions(0))
      expect(kafka.takeAll().filter((line) => line.startsWith('FindCoordinator'))).to.deep.equal([])
      kafka.places.coordinator = 1
      await producer.addPartitions(partitions(1))
      expect(kafka.takeAll()).to.deep.equal([
        'AddPartitionsToTxn w 4000:0 facts[1]',
        'FindCoordinator w',
        'AddPartitionsToTxn w 4000:0 facts[1]',
      ])
    })

    it('has connections of its own', async () => {
      const first = await begin()
      const second = await begin()
      const [directory, one, two, ...others] = kafka.openPurposes()
      expect([directory, ...others]).to.deep.equal(['directory'])
      expect([one, two].every((purpose) => purpose?.endsWith(' w'))).to.equal(true)
      first.close()
      expect(kafka.openPurposes()).to.deep.equal(['directory', two])
      second.close()
      expect(kafka.openPurposes()).to.deep.equal(['directory'])
    })
  })

  describe('that sends', () => {
    it('numbers the records of each partition from 0, and again after the next epoch', async () => {
      const first = await begin()
      await first.send([group(0, 'a', 'b'), group(2, 'c')], outside)
      await first.send([group(2, 'd', 'e', 'f')], outside)
      await first.send([group(0, 'g'), group(2, 'h')], outside)
      const second = await begin(first)
      await second.send([group(2, 'i')], outside)
      expect(kafka.take().filter((line) => line.startsWith('Produce'))).to.deep.equal([
        'Produce - within 4000: facts/0 4000:0 #0+2, facts/2 4000:0 #0+1',
        'Produce - within 4000: facts/2 4000:0 #1+3',
        'Produce - within 4000: facts/0 4000:0 #2+1, facts/2 4000:0 #4+1',
        'Produce - within 4000: facts/2 4000:1 #0+1',
      ])
      expect(await kafka.values('facts', 2)).to.deep.equal(['c', 'd', 'e', 'f', 'h', 'i'])
    })

    it('sends each leader its partitions in one request, and returns the end of each partition', async () => {
      const producer = await begin()
      await producer.send([group(3, 'before')], outside)
      kafka.take()
      const ends = await producer.send(
        [group(0, 'a', 'b'), group(1, 'c'), group(2, 'd'), group(3, 'e', 'f', 'g')],
        outside,
      )
      expect(kafka.take()).to.deep.equal([
        'Produce - within 4000: facts/0 4000:0 #0+2, facts/2 4000:0 #0+1',
        'Produce - within 4000: facts/1 4000:0 #0+1, facts/3 4000:0 #1+3',
      ])
      const end = (partition: number, nextOffset: number) => ({ topic: 'facts', partition, nextOffset })
      expect(ends).to.have.deep.members([end(0, 2), end(1, 1), end(2, 1), end(3, 4)])
    })

    it('gives each batch its kind and its time', async () => {
      const producer = await begin()
      await producer.send([group(0, 'a')], { isTransactional: false, timestampMs: 77 })
      await producer.addPartitions(partitions(0))
      await producer.send([group(0, 'b')], { isTransactional: true, timestampMs: 78 })
      const kinds = kafka
        .partition('facts', 0)
        .headers()
        .map((its) => [its.isTransactional, its.timestampMs])
      expect(kinds).to.deep.equal([
        [false, 77],
        [true, 78],
      ])
      expect(kafka.take().at(-1)).to.equal('Produce w within 4000: facts/0 4000:0 #1+1')
    })

    for (const step of ['lost', 'answer lost', codes.loading] as const)
      it(`stores records once if a request meets "${step}"`, async () => {
        const producer = await begin()
        kafka.next('Produce', step, step)
        const ends = await producer.send([group(0, 'a', 'b')], outside)
        await producer.send([group(0, 'c')], outside)
        expect(await kafka.values('facts', 0)).to.deep.equal(['a', 'b', 'c'])
        expect(ends).to.deep.equal([{ topic: 'facts', partition: 0, nextOffset: 2 }])
      })

    it('sends only the batches again that the broker did not store', async () => {
      const producer = await begin()
      kafka.take()
      kafka.next('Produce', codes.loading)
      const ends = await producer.send([group(0, 'a'), group(2, 'b')], outside)
      expect(kafka.take()).to.deep.equal([
        'Produce - within 4000: facts/0 4000:0 #0+1, facts/2 4000:0 #0+1',
        'Produce - within 4000: facts/0 4000:0 #0+1',
      ])
      expect(ends.map(({ partition }) => partition)).to.deep.equal([2, 0])
    })

    it('stores records once if one of two brokers did not answer', async () => {
      const producer = await begin()
      kafka.next('Produce', 'served', 'answer lost')
      const ends = await producer.send([group(0, 'a'), group(1, 'b')], outside)
      expect([await kafka.values('facts', 0), await kafka.values('facts', 1)]).to.deep.equal([['a'], ['b']])
      expect(ends).to.have.lengthOf(2)
    })

    it('takes a batch that the broker calls a duplicate for stored', async () => {
      const producer = await begin()
      kafka.next('Produce', codes.duplicate)
      await producer.send([group(0, 'a')], outside)
      expect(kafka.take().filter((line) => line.startsWith('Produce'))).to.have.lengthOf(1)
    })

    it('finds a leader on another broker', async () => {
      const producer = await begin()
      await producer.send([group(0, 'a'), group(1, 'b')], outside)
      kafka.places.isSwapped = true
      await producer.send([group(0, 'c'), group(1, 'd')], outside)
      expect([await kafka.values('facts', 0), await kafka.values('facts', 1)]).to.deep.equal([
        ['a', 'c'],
        ['b', 'd'],
      ])
    })

    for (const [code, answer] of [
      [codes.notAuthorized, 'TOPIC_AUTHORIZATION_FAILED'],
      [codes.outOfOrder, 'OUT_OF_ORDER_SEQUENCE_NUMBER'],
      [codes.tooLarge, 'MESSAGE_TOO_LARGE'],
      [codes.invalidEpoch, 'INVALID_PRODUCER_EPOCH'],
      [codes.fenced, 'INVALID_PRODUCER_EPOCH'],
    ] as const)
      it(`fails at once with code ${code}, named ${answer}`, async () => {
        const producer = await begin()
        kafka.take()
        kafka.next('Produce', code)
        await expectAnswer(producer.send([group(0, 'a')], outside), answer)
        expect(kafka.take()).to.have.lengthOf(1)
      })

    it('is refused a batch over the bound of the topic, and accepted one at the bound of a value', async () => {
      const producer = await begin()
      await producer.send([group(0, 'x'.repeat(1_048_576))], outside)
      await expectAnswer(producer.send([group(1, 'x'.repeat(1_200_000))], outside), 'MESSAGE_TOO_LARGE')
    })

    it('is refused by a partition in which a later producer has ended a transaction', async () => {
      const first = await begin()
      await first.send([group(0, 'a')], outside)
      const second = await begin()
      await second.addPartitions(partitions(0))
      await second.end(true)
      await expectAnswer(first.send([group(0, 'late')], outside), 'INVALID_PRODUCER_EPOCH')
      expect(await kafka.values('facts', 0)).to.deep.equal(['a'])
    })

    // Half of the transaction timeout is 4 s. Each request takes 1.5 s.
    for (const [name, api, work] of [
      ['an append', 'Produce', (its: Producer) => its.send([group(0, 'a')], outside)],
      ['a transaction', 'AddPartitionsToTxn', (its: Producer) => its.addPartitions(partitions(0))],
      ['a commit', 'EndTxn', (its: Producer) => its.end(true)],
    ] as const)
      it(`gives up ${name} after half of the transaction timeout`, async () => {
        const producer = await begin()
        kafka.take()
        kafka.always(api, slow(codes.loading, 1500))
        const outcome = work(producer)
        await expectFailure(outcome, 'log_unavailable')
        expect(String(await outcome.catch(String))).to.include(
          'an append of w failed: the broker answered GROUP_LOAD_IN_PROGRESS',
        )
        expect(kafka.take()).to.have.lengthOf(3)
      })
  })
})
