import { expect } from 'chai'
import { createErrorFromCode } from '../../../../infra/kafka-client/kafkajs-parts.ts'
import { expectFailure, fact } from '../../../contracts/log-contract.ts'
import { createDeferred } from '../../../support/log/kafka-double/deferred.ts'
import { codes } from '../../../support/log/kafka-double/partition.ts'
import { createWriterScene, expectFenced, messageOf, type WriterScene } from './writer-scene.ts'

describe('a writer on Kafka that fences others', () => {
  let scene: WriterScene
  let kafka: WriterScene['kafka']

  beforeEach(() => {
    scene = createWriterScene()
    kafka = scene.kafka
  })
  afterEach(() => scene.stop())

  describe('without transactions', () => {
    const halfHourMs = 30 * 60_000
    const proof = [
      'AddPartitionsToTxn s-w 4000:1 s-chain-a-facts[0,1,2] s-payments[0]',
      'EndTxn s-w 4000:1 commit',
    ] as const
    const produce = (sequence: number) => `Produce - within 5000: s-chain-a-facts/0 4000:1 #${sequence}+1`

    it('sends an append as one request, and takes no part in transactions', async () => {
      const writer = await scene.open(false)
      await writer.append([fact(0, 'a')])
      expect(kafka.take()).to.deep.equal([produce(0)])
      expect(scene.cluster.appended.endOf('s-chain-a-facts', 0)).to.equal(2)
      expect(kafka.partition('s-chain-a-facts', 0).headers()[0]).to.include({ isTransactional: false, timestampMs: 77 })
    })

    it('fences its predecessor in every partition before it appends', async () => {
      const first = await scene.open(false)
      await first.append([fact(0, 'a')])
      await scene.open(false)
      await expectFailure(first.append([fact(1, 'late')]), 'writer_fenced')
      expect(await scene.values(1)).to.deep.equal([])
      await expectFenced(kafka, first)
    })

    it('proves every half hour that it is not fenced while it is idle, and holds no process', async () => {
      const writer = await scene.open(false)
      expect(scene.timers.counts()).to.deep.equal({ all: 1, holding: 0 })
      for (const expected of [proof, proof]) {
        scene.timers.move(halfHourMs - 1)
        await scene.settle()
        expect(kafka.take()).to.deep.equal([])
        scene.timers.move(1)
        await scene.settle()
        expect(kafka.take()).to.deep.equal(expected)
      }
      await writer.close()
      expect(scene.timers.counts().all).to.equal(0)
      scene.timers.move(halfHourMs)
      await scene.settle()
      expect(kafka.take()).to.deep.equal([])
    })

    it('looks at most once a second whether a proof is due', async () => {
      await scene.open(false, { proofEveryMs: 10 })
      scene.timers.move(999)
      await scene.settle()
      expect(kafka.take()).to.deep.equal([])
      scene.timers.move(1)
      await scene.settle()
      expect(kafka.take()).to.deep.equal(proof)
    })

    it('proves before an append if its last proof is as old as the interval, and not before', async () => {
      const writer = await scene.open(false, { proofEveryMs: 500 })
      scene.timers.move(499)
      await writer.append([fact(0, 'a')])
      expect(kafka.take()).to.deep.equal([produce(0)])
      scene.timers.move(1)
      await writer.append([fact(0, 'b')])
      expect(kafka.take()).to.deep.equal([...proof, produce(1)])
      scene.timers.move(499)
      await writer.append([fact(0, 'c')])
      expect(kafka.take()).to.deep.equal([produce(2)])
    })

    it('appends nothing if its proof is refused', async () => {
      const writer = await scene.open(false, { proofEveryMs: 500 })
      scene.timers.move(500)
      kafka.next('AddPartitionsToTxn', codes.invalidEpoch)
      await expectFailure(writer.append([fact(0, 'late')]), 'writer_fenced')
      await expectFenced(kafka, writer)
      expect(await scene.values(0)).to.deep.equal([])
    })

    it('is fenced by an idle proof that a later writer defeats', async () => {
      const first = await scene.open(false)
      await scene.open(false)
      scene.timers.move(halfHourMs)
      await scene.settle()
      await expectFenced(kafka, first)
      // Only the later writer still has a timer.
      expect(scene.timers.counts().all).to.equal(1)
    })

    it('fails the next append with the failure of an idle proof', async () => {
      const writer = await scene.open(false)
      kafka.next('EndTxn', 'lost')
      scene.timers.move(halfHourMs)
      await scene.settle()
      kafka.take()
      await expectFailure(writer.append([fact(0, 'a')]), 'log_unavailable')
      expect(kafka.take()).to.deep.equal([])
    })

    it('proves between two appends', async () => {
      const writer = await scene.open(false)
      const late = createDeferred()
      kafka.next('Produce', late.promise)
      const arrived = kafka.arrival('Produce')
      const appending = writer.append([fact(0, 'a')])
      await arrived
      scene.timers.move(halfHourMs)
      await scene.settle()
      expect(kafka.take()).to.deep.equal([produce(0)])
      late.resolve()
      await appending
      await scene.settle()
      expect(kafka.take()).to.deep.equal(proof)
    })

    it('proves nothing after an append that closed it meanwhile', async () => {
      const writer = await scene.open(false)
      const late = createDeferred()
      kafka.next('Produce', late.promise)
      const arrived = kafka.arrival('Produce')
      const failing = expectFailure(writer.append([fact(0, 'a')]), 'log_failed')
      await arrived
      scene.timers.move(halfHourMs)
      await scene.settle()
      late.reject(createErrorFromCode(codes.notAuthorized))
      await failing
      await scene.settle()
      expect(kafka.take().filter((line) => !line.startsWith('Produce'))).to.deep.equal([])
      await expectFailure(writer.append([fact(0, 'b')]), 'log_closed')
    })

    it('stores a record once if its answer was lost', async () => {
      const writer = await scene.open(false)
      kafka.next('Produce', 'answer lost')
      await writer.append([fact(0, 'a')])
      await writer.append([fact(0, 'b')])
      expect(await scene.values(0)).to.deep.equal(['a', 'b'])
    })
  })

  describe('that is reopened', () => {
    it('has a successor after it, and is then fenced', async () => {
      const writer = await scene.open(true)
      const next = await writer.reopen()
      expect(kafka.take()).to.include('InitProducerId s-w after 4000:0 within 10000')
      await expectFenced(kafka, writer)
      await next.append([fact(0, 'a')])
      expect(await scene.values(0)).to.deep.equal(['a'])
    })

    it('waits for its append first', async () => {
      const writer = await scene.open(true)
      const late = createDeferred()
      kafka.next('EndTxn', late.promise)
      const arrived = kafka.arrival('EndTxn')
      const work = [writer.append([fact(0, 'a')]), writer.reopen()]
      await arrived
      await scene.settle()
      expect(kafka.take().at(-1)).to.equal('EndTxn s-w 4000:0 commit')
      late.resolve()
      await Promise.all(work)
      expect(await scene.values(0)).to.deep.equal(['a'])
    })

    it('continues from the newest epoch that it took if reopening failed on the way', async () => {
      const writer = await scene.open(false)
      kafka.next('AddPartitionsToTxn', codes.idNotAuthorized)
      await expectFailure(writer.reopen(), 'log_failed')
      await expectFailure(writer.append([fact(0, 'a')]), 'log_closed')
      kafka.take()
      await (await writer.reopen()).append([fact(0, 'b')])
      const opened = kafka.take().filter((line) => line.startsWith('InitProducerId'))
      expect(opened).to.deep.equal([2, 3].map((epoch) => `InitProducerId s-w after 4000:${epoch} within 10000`))
      expect(await scene.values(0)).to.deep.equal(['b'])
    })

    it('is fenced for good if a later writer was opened', async () => {
      const writer = await scene.open(true)
      await scene.open(true)
      await expectFailure(writer.reopen(), 'writer_fenced')
      await expectFenced(kafka, writer)
    })

    it('stays fenced when it is closed', async () => {
      const writer = await scene.open(true)
      await writer.reopen()
      await writer.close()
      await expectFenced(kafka, writer)
    })

    it('refuses every append once it is closed, whatever its records', async () => {
      const writer = await scene.open(true)
      await writer.close()
      await expectFailure(writer.append([fact(3, 'no partition')]), 'log_closed')
      await expectFailure(writer.append([]), 'log_closed')
    })

    it('can be reopened after it was closed, and closing ends its connections', async () => {
      const writer = await scene.open(true)
      const isOpen = () => kafka.openPurposes().some((purpose) => purpose.startsWith('writer'))
      expect(isOpen()).to.equal(true)
      await writer.close()
      await writer.close()
      expect(isOpen()).to.equal(false)
      await expectFailure(writer.append([fact(0, 'a')]), 'log_closed')
      expect(await messageOf(writer.append([fact(0, 'a')]))).to.equal('the writer w is closed')
      await (await writer.reopen()).append([fact(0, 'b')])
      expect(await scene.values(0)).to.deep.equal(['b'])
    })
  })
})
