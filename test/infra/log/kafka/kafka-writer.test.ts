import { expect } from 'chai'
import { expectFailure, fact } from '../../../contracts/log-contract.ts'
import { createDeferred } from '../../../support/log/kafka-double/deferred.ts'
import { codes } from '../../../support/log/kafka-double/partition.ts'
import type { Api } from '../../../support/log/kafka-double/script.ts'
import { createWriterScene, expectFenced, messageOf, type WriterScene } from './writer-scene.ts'

const payment = { topic: 'payments', partition: 0, key: 'p', value: Buffer.from('paid') } as const
describe('a writer on Kafka', () => {
  let scene: WriterScene
  let kafka: WriterScene['kafka']

  beforeEach(() => {
    scene = createWriterScene()
    kafka = scene.kafka
  })
  afterEach(() => scene.stop())

  describe('with transactions', () => {
    it('makes an append one transaction over its partitions, under the names of the system', async () => {
      const writer = await scene.open(true)
      await writer.append([fact(0, 'a'), payment, fact(2, 'b'), fact(0, 'c')])
      expect(kafka.take()).to.deep.equal([
        'AddPartitionsToTxn s-w 4000:0 s-chain-a-facts[0,2] s-payments[0]',
        'Produce s-w within 5000: s-chain-a-facts/0 4000:0 #0+2, s-payments/0 4000:0 #0+1, s-chain-a-facts/2 4000:0 #0+1',
        'EndTxn s-w 4000:0 commit',
      ])
      expect(await scene.values(0)).to.deep.equal(['a', 'c'])
      expect(kafka.partition('s-payments', 0).headers()[0]).to.include({ isTransactional: true, timestampMs: 77 })
      expect(scene.cluster.appended.endOf('s-chain-a-facts', 0)).to.equal(2)
      expect(scene.cluster.appended.endOf('s-chain-a-facts', 2)).to.equal(1)
    })

    it('does not count an append as readable before its commit', async () => {
      const writer = await scene.open(true)
      kafka.next('EndTxn', 'lost')
      await expectFailure(writer.append([fact(0, 'a')]), 'log_unavailable')
      expect(scene.cluster.appended.endOf('s-chain-a-facts', 0)).to.equal(0)
    })

    it('sends nothing for an empty append, nor for one with a record that it refuses, and stays open', async () => {
      const writer = await scene.open(true)
      await writer.append([])
      await expectFailure(writer.append([fact(0, 'a'), fact(3, 'no partition')]), 'partition_out_of_range')
      expect(kafka.take()).to.deep.equal([])
      await writer.append([fact(0, 'b')])
      expect(await scene.values(0)).to.deep.equal(['b'])
    })

    it('sends an append over the size of a batch in several requests of one transaction', async () => {
      const writer = await scene.open(true)
      const large = 'x'.repeat(200_000)
      await writer.append([fact(0, large), fact(0, large), fact(2, 'y'), fact(0, large)])
      expect(kafka.take()).to.deep.equal([
        'AddPartitionsToTxn s-w 4000:0 s-chain-a-facts[0,2]',
        'Produce s-w within 5000: s-chain-a-facts/0 4000:0 #0+1, s-chain-a-facts/2 4000:0 #0+1',
        'Produce s-w within 5000: s-chain-a-facts/0 4000:0 #1+1',
        'Produce s-w within 5000: s-chain-a-facts/0 4000:0 #2+1',
        'EndTxn s-w 4000:0 commit',
      ])
      expect(scene.cluster.appended.endOf('s-chain-a-facts', 0)).to.equal(3)
    })

    it('makes one append at a time, in order, and confirms and closes after them', async () => {
      const writer = await scene.open(true)
      const late = createDeferred()
      kafka.next('EndTxn', late.promise)
      const arrived = kafka.arrival('EndTxn')
      const work = [writer.append([fact(0, 'a')]), writer.append([fact(0, 'b')]), writer.confirm(), writer.close()]
      await arrived
      await scene.settle()
      const first = ['AddPartitionsToTxn', 'Produce', 'EndTxn']
      const apis = () => kafka.take().map((line) => line.split(' ')[0])
      expect(apis()).to.deep.equal(first)
      late.resolve()
      await Promise.all(work)
      expect(apis()).to.deep.equal([...first, 'EndTxn'])
      expect(await scene.values(0)).to.deep.equal(['a', 'b'])
    })

    // Some appends are not aborted. For these errors, the broker would refuse an abort too, or has already
    // aborted.
    for (const [code, failure, isAborted] of [
      [codes.notAuthorized, 'log_failed', true],
      [codes.tooLarge, 'log_failed', true],
      [codes.outOfOrder, 'log_unavailable', false],
      [codes.invalidState, 'log_unavailable', false],
      [codes.invalidEpoch, 'writer_fenced', false],
    ] as const)
      it(`${isAborted ? 'aborts' : 'leaves'} an append that is refused in the middle with code ${code}`, async () => {
        const writer = await scene.open(true)
        kafka.next('Produce', 'served', code)
        const large = 'x'.repeat(200_000)
        await expectFailure(writer.append([fact(0, large), fact(0, large)]), failure)
        expect(kafka.take().filter((line) => line.startsWith('EndTxn'))).to.deep.equal(
          isAborted ? ['EndTxn s-w 4000:0 abort'] : [],
        )
        expect(await scene.values(0)).to.deep.equal([])
        await expectFailure(writer.append([fact(0, 'a')]), failure === 'writer_fenced' ? failure : 'log_closed')
      })

    it('fails only when the abort is answered, so that its connection stays open until then', async () => {
      const writer = await scene.open(true)
      const late = createDeferred()
      kafka.next('Produce', codes.notAuthorized)
      kafka.next('EndTxn', late.promise)
      const arrived = kafka.arrival('EndTxn')
      let isOver = false
      const failing = writer.append([fact(0, 'a')]).catch(() => {
        isOver = true
      })
      await arrived
      await scene.settle()
      expect([isOver, kafka.coordinator.stateOf('s-w')]).to.deep.equal([false, 'Ongoing'])
      late.resolve()
      await failing
      expect(kafka.coordinator.stateOf('s-w')).to.equal('CompleteAbort')
    })

    it('fails with the first failure if the abort fails too', async () => {
      const writer = await scene.open(true)
      kafka.next('Produce', codes.notAuthorized)
      kafka.next('EndTxn', 'lost')
      expect(await messageOf(writer.append([fact(0, 'a')]))).to.include('TOPIC_AUTHORIZATION_FAILED')
    })

    for (const [step, shown] of [
      ['lost', []],
      ['answer lost', ['a']],
    ] as const)
      it(`is closed with an unknown outcome if its commit meets "${step}", and a successor shows it`, async () => {
        const writer = await scene.open(true)
        kafka.next('EndTxn', step)
        await expectFailure(writer.append([fact(0, 'a')]), 'log_unavailable')
        expect(kafka.take().filter((line) => line.startsWith('EndTxn'))).to.deep.equal(['EndTxn s-w 4000:0 commit'])
        await expectFailure(writer.append([fact(0, 'b')]), 'log_closed')
        await expectFailure(writer.confirm(), 'log_closed')
        expect(kafka.take()).to.deep.equal([])
        const next = await writer.reopen()
        expect(await scene.values(0)).to.deep.equal(shown)
        await next.append([fact(0, 'c')])
        expect(await scene.values(0)).to.deep.equal([...shown, 'c'])
      })

    for (const api of ['AddPartitionsToTxn', 'EndTxn'] as const satisfies readonly Api[])
      for (const code of [codes.invalidEpoch, codes.invalidMapping, codes.coordinatorFenced])
        it(`is fenced for good, and named, after code ${code} to ${api}`, async () => {
          const writer = await scene.open(true)
          kafka.next(api, code)
          const outcome = writer.append([fact(0, 'a')])
          await expectFailure(outcome, 'writer_fenced')
          expect(await messageOf(outcome)).to.include('the writer w is fenced')
          await expectFenced(kafka, writer)
        })

    it('names itself if the broker no longer knows it', async () => {
      const writer = await scene.open(true)
      kafka.next('AddPartitionsToTxn', codes.invalidState)
      expect(await messageOf(writer.append([fact(0, 'a')]))).to.equal(
        'the broker no longer knows the writer w. The broker answered INVALID_TXN_STATE',
      )
    })

    it('is fenced by a later writer of its name', async () => {
      const first = await scene.open(true)
      const second = await scene.open(true)
      await expectFailure(first.append([fact(0, 'late')]), 'writer_fenced')
      await expectFenced(kafka, first)
      await second.append([fact(0, 'a')])
      expect(await scene.values(0)).to.deep.equal(['a'])
    })

    it('cannot be opened where the broker refuses its epoch', async () => {
      kafka.next('InitProducerId', codes.fenced)
      await expectFailure(scene.open(true), 'writer_fenced')
    })

    it('confirms that it is the newest writer before and after appends, and changes nothing', async () => {
      const writer = await scene.open(true)
      await writer.confirm()
      await writer.append([fact(0, 'a')])
      await writer.confirm()
      expect(kafka.take().filter((line) => line.startsWith('EndTxn'))).to.deep.equal(
        ['abort', 'commit', 'abort'].map((result) => `EndTxn s-w 4000:0 ${result}`),
      )
      expect(await scene.values(0)).to.deep.equal(['a'])
      await scene.open(true)
      await expectFailure(writer.confirm(), 'writer_fenced')
      await expectFenced(kafka, writer)
    })

    it('appends only after an earlier confirmation', async () => {
      const writer = await scene.open(true)
      const late = createDeferred()
      kafka.next('EndTxn', late.promise)
      const arrived = kafka.arrival('EndTxn')
      const work = [writer.confirm(), writer.append([fact(0, 'a')])]
      await arrived
      await scene.settle()
      expect(kafka.take()).to.deep.equal(['EndTxn s-w 4000:0 abort'])
      late.resolve()
      await Promise.all(work)
      expect(await scene.values(0)).to.deep.equal(['a'])
    })

    it('is closed by a confirmation that fails', async () => {
      const writer = await scene.open(true)
      kafka.next('EndTxn', 'lost')
      await expectFailure(writer.confirm(), 'log_unavailable')
      await expectFailure(writer.append([fact(0, 'a')]), 'log_closed')
    })

    it('proves nothing, however long it was idle, because each append shows that it is not fenced', async () => {
      const writer = await scene.open(true)
      scene.timers.move(24 * 3_600_000)
      await writer.append([fact(0, 'a')])
      expect(kafka.take().map((line) => line.split(' ')[0])).to.deep.equal(['AddPartitionsToTxn', 'Produce', 'EndTxn'])
    })

    it('checks the partitions of a commit 3 seconds later, and replaces a lost marker between two appends', async () => {
      const writer = await scene.open(true)
      kafka.coordinator.losing.add('s-chain-a-facts/1')
      await writer.append([fact(0, 'a'), fact(1, 'a')])
      kafka.coordinator.losing.clear()
      expect(scene.timers.counts()).to.deep.equal({ all: 1, holding: 0 })
      const late = createDeferred()
      kafka.next('Produce', late.promise)
      const arrived = kafka.arrival('Produce')
      const appending = writer.append([fact(2, 'b')])
      await arrived
      kafka.take()
      scene.timers.move(2999)
      await scene.settle()
      expect(kafka.take()).to.deep.equal([])
      scene.timers.move(1)
      await scene.settle()
      const looks = ['stable', 'all'].flatMap((kind) =>
        [0, 1].map((its) => `ListOffsets ${kind} s-chain-a-facts[${its}]`),
      )
      expect(kafka.take()).to.have.members(looks)
      late.resolve()
      await appending
      await scene.settle()
      expect(kafka.take()).to.deep.equal([
        'EndTxn s-w 4000:0 commit',
        'AddPartitionsToTxn s-w 4000:0 s-chain-a-facts[1]',
        'EndTxn s-w 4000:0 commit',
      ])
      expect(await scene.values(1)).to.deep.equal(['a'])
      await writer.close()
      expect(scene.timers.counts().all).to.equal(0)
    })

    it('waits for its check only from the end of the commit on', async () => {
      const writer = await scene.open(true)
      const late = createDeferred()
      kafka.next('EndTxn', late.promise)
      const arrived = kafka.arrival('EndTxn')
      const appending = writer.append([fact(0, 'a')])
      await arrived
      await scene.settle()
      expect(scene.timers.counts().all).to.equal(0)
      late.resolve()
      await appending
      expect(scene.timers.counts().all).to.equal(1)
    })

    it('fails the next append with the failure of a marker that it could not replace', async () => {
      const writer = await scene.open(true, { checkAfterMs: 10 })
      kafka.coordinator.losing.add('s-chain-a-facts/1')
      await writer.append([fact(1, 'a')])
      kafka.next('AddPartitionsToTxn', codes.idNotAuthorized)
      scene.timers.move(10)
      await scene.settle()
      kafka.take()
      await expectFailure(writer.append([fact(0, 'b')]), 'log_failed')
      expect(kafka.take()).to.deep.equal([])
    })
  })
})
