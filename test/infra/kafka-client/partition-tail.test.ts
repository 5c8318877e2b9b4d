import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { OperationError } from '../../../infra/errors.ts'
import type { Cluster } from '../../../infra/kafka-client/cluster.ts'
import { PartitionReader } from '../../../infra/kafka-client/partition-reader.ts'
import { PartitionTail } from '../../../infra/kafka-client/partition-tail.ts'
import { Producer } from '../../../infra/kafka-client/producer.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { createKafkaDouble, type KafkaDouble } from '../../support/log/kafka-double/kafka-double.ts'
import { codes } from '../../support/log/kafka-double/partition.ts'

describe('the tail of a partition', () => {
  let kafka: KafkaDouble
  let cluster: Cluster
  let reader: PartitionReader
  let tail: PartitionTail
  let producer: Producer
  let heard: string[]
  let stop: AbortController

  beforeEach(async () => {
    kafka = createKafkaDouble({ facts: 2 })
    cluster = kafka.clusterOf()
    reader = new PartitionReader(cluster, { topic: 'facts', partition: 1 })
    heard = []
    tail = new PartitionTail({
      ...{ reader, purpose: 'tail facts/1' },
      onFailure: (error) => {
        heard.push(error instanceof Error ? error.name : String(error))
        cluster.directory.forget()
      },
      onAnswer: () => heard.push('answer'),
    })
    producer = await Producer.begin({ cluster, transactionalId: 'w', transactionTimeoutMs: 8000 }, 1000)
    stop = new AbortController()
    kafka.take()
  })
  afterEach(() => {
    tail.close(new Error('the test is over'))
    partition().wake()
    kafka.expectDone()
  })

  const partition = () => kafka.partition('facts', 1)
  const append = async (...values: readonly string[]) => {
    const records = values.map((value) => ({ key: 'k', value: Buffer.from(value) }))
    await producer.send([{ topic: 'facts', partition: 1, records }], { isTransactional: false, timestampMs: 1 })
  }
  /** Appends a transaction of one record and its marker. */
  const appendWithin = async (value: string, isCommit: boolean) => {
    await producer.addPartitions([{ topic: 'facts', partitions: [1] }])
    const records = [{ key: 'k', value: Buffer.from(value) }]
    await producer.send([{ topic: 'facts', partition: 1, records }], { isTransactional: true, timestampMs: 1 })
    await producer.end(isCommit)
  }
  const poll = (offset: number) => `Fetch facts/1 from ${offset}, 1048576 bytes, 500 ms`
  const look = (offset: number) => `Fetch facts/1 from ${offset}, 1 bytes, 0 ms`
  const fetches = () => kafka.take().filter((line) => line.startsWith('Fetch'))
  /** Starts a wait at an offset. `polling` resolves when the long poll has arrived at the broker. */
  const waiting = (offset: number, signal = stop.signal) => {
    const state = { isOver: false }
    const polling = kafka.arrival('Fetch')
    const over = tail.wait(offset, signal).finally(() => {
      state.isOver = true
    })
    over.catch(() => {})
    return { state, polling, over }
  }
  /** Waits for enough turns of the event loop to finish all work that needs no new event. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
  /** Lets the broker answer the long poll without records, as a real broker does after 0.5 s. */
  const endPoll = async () => {
    await settle()
    partition().wake()
    await settle()
  }

  it('polls at the offset for half a second, on its own connection, and wakes at the record', async () => {
    await append('a', 'b')
    const { state, polling, over } = waiting(2)
    await polling
    await settle()
    expect(state.isOver).to.equal(false)
    expect(kafka.openPurposes()).to.include('tail facts/1')
    expect(fetches()).to.deep.equal([poll(2)])
    await append('c')
    await over
    expect(heard).to.deep.equal(['answer'])
  })

  it('wakes at once for a record that is already there, and knows it afterwards', async () => {
    await append('a', 'b', 'c')
    await tail.wait(1, stop.signal)
    expect(fetches()).to.deep.equal([poll(1)])
    for (const offset of [0, 1, 2]) await tail.wait(offset, stop.signal)
    expect(fetches()).to.deep.equal([])
    const { polling } = waiting(3)
    await polling
    expect(fetches()).to.deep.equal([poll(3)])
  })

  it('never asks for a caller whose signal has aborted', async () => {
    stop.abort()
    await tail.wait(0, stop.signal)
    await settle()
    expect(fetches()).to.deep.equal([])
  })

  it('releases a caller whose signal aborts, and stops polling after the running poll', async () => {
    const { state, polling, over } = waiting(0)
    await polling
    expect(state.isOver).to.equal(false)
    stop.abort()
    await over
    await endPoll()
    expect(fetches()).to.deep.equal([poll(0)])
    const again = waiting(0, new AbortController().signal)
    await again.polling
    await append('a')
    await again.over
    expect(fetches()).to.deep.equal([poll(0)])
  })

  it('serves a caller with the running poll of a caller that is gone', async () => {
    const { polling } = waiting(0)
    await polling
    stop.abort()
    const again = waiting(0, new AbortController().signal)
    await append('a')
    await again.over
    expect(fetches()).to.deep.equal([poll(0)])
  })

  it('leaves no listener at the signal of a caller that is served', async () => {
    await append('a')
    await tail.wait(0, stop.signal)
    const served = waiting(1)
    await served.polling
    await append('b')
    await served.over
    expect(getEventListeners(stop.signal, 'abort')).to.deep.equal([])
  })

  it('polls again if a poll ends without records', async () => {
    const { state, polling, over } = waiting(0)
    await polling
    const next = kafka.arrival('Fetch')
    await endPoll()
    await next
    expect(state.isOver).to.equal(false)
    expect(fetches()).to.deep.equal([poll(0), poll(0)])
    await append('a')
    await over
  })

  it('serves many callers with one poll, and wakes only those whose record has arrived', async () => {
    const early = [waiting(0), waiting(0), waiting(1)]
    const late = waiting(2)
    await early[0]?.polling
    await settle()
    expect(fetches()).to.deep.equal([poll(0)])
    const next = kafka.arrival(poll(2))
    await append('a', 'b')
    await Promise.all(early.map(({ over }) => over))
    await next
    expect(late.state.isOver).to.equal(false)
    await append('c')
    await late.over
  })

  it('polls at the lowest offset of its callers', async () => {
    await append('a', 'b', 'c')
    const [high, low] = [waiting(3), waiting(1)]
    await low.over
    expect(high.state.isOver).to.equal(false)
    await append('d')
    await high.over
  })

  it('polls next at the lowest offset of those who still wait, in whatever order they came', async () => {
    await append('a', 'b')
    const [served, high, low, middle] = [waiting(2), waiting(5), waiting(3), waiting(4)]
    await served.polling
    const next = kafka.arrival(poll(3))
    await append('c')
    await served.over
    await next
    expect(fetches()).to.deep.equal([poll(2), poll(3)])
    await append('d', 'e', 'f')
    await Promise.all([low, middle, high].map(({ over }) => over))
  })

  it('looks once for a caller below the running poll, and leaves the poll alone', async () => {
    await append('a', 'b', 'c')
    const high = waiting(3)
    await high.polling
    const low = waiting(2)
    await low.over
    expect(high.state.isOver).to.equal(false)
    expect(fetches()).to.deep.equal([poll(3), look(2)])
  })

  it('keeps a caller waiting whose look fails or finds only a gap', async () => {
    await appendWithin('a', false)
    const high = waiting(2)
    await high.polling
    kafka.next('Fetch', codes.idNotAuthorized)
    const [failing, empty] = [waiting(0), waiting(1)]
    await settle()
    expect([failing.state.isOver, empty.state.isOver]).to.deep.equal([false, false])
    await append('b')
    await Promise.all([high.over, failing.over, empty.over])
  })

  it('does not wake for aborted records and markers, and polls behind them', async () => {
    const { state, polling, over } = waiting(0)
    await polling
    const behind = kafka.arrival(poll(2))
    await appendWithin('never', false)
    await behind
    expect(state.isOver).to.equal(false)
    await appendWithin('shown', true)
    await over
    expect(fetches().at(-1)).to.equal(poll(2))
  })

  it('does not wake for a record before its transaction is committed', async () => {
    await producer.addPartitions([{ topic: 'facts', partitions: [1] }])
    const { state, polling, over } = waiting(0)
    await polling
    const again = kafka.arrival(poll(0))
    const records = [{ key: 'k', value: Buffer.from('a') }]
    await producer.send([{ topic: 'facts', partition: 1, records }], { isTransactional: true, timestampMs: 1 })
    await again
    await settle()
    expect(state.isOver).to.equal(false)
    await producer.end(true)
    await over
  })

  it('gives the records of its poll to the next read, which asks no broker', async () => {
    const { polling, over } = waiting(0)
    await polling
    await append('a', 'b')
    await over
    kafka.take()
    const batches = await reader.read(0, { bytesMax: 1 << 20 })
    expect(batches.map((batch) => String(batch.valueAt(1)))).to.deep.equal(['b'])
    expect(fetches()).to.deep.equal([])
  })

  for (const step of ['lost', codes.notLeader, codes.loading] as const)
    it(`waits on after "${step}", reports the failure and then the answer`, async () => {
      kafka.next('Fetch', step, step)
      const { state, polling, over } = waiting(0)
      await polling
      await kafka.arrival('Fetch')
      await kafka.arrival('Fetch')
      expect(state.isOver).to.equal(false)
      await append('a')
      await over
      const name = step === 'lost' ? 'KafkaJSConnectionClosedError' : 'KafkaJSProtocolError'
      expect(heard).to.deep.equal([name, name, 'answer'])
    })

  it('finds the leader on another broker', async () => {
    await append('a')
    kafka.places.isSwapped = true
    await tail.wait(0, stop.signal)
    expect(heard).to.deep.equal(['KafkaJSProtocolError', 'answer'])
  })

  it('waits for an offset that is past the end of the partition', async () => {
    const { state, polling, over } = waiting(1)
    await polling
    await settle()
    expect([state.isOver, heard]).to.deep.equal([false, ['OperationError']])
    await append('a', 'b')
    await over
  })

  it('skips an offset whose records retention has deleted', async () => {
    await append('a', 'b')
    await append('c')
    partition().deleteBefore(2)
    await tail.wait(0, stop.signal)
    expect(fetches()).to.deep.equal([poll(0), poll(2)])
  })

  it('rejects every caller after a failure that does not pass, and can be used again', async () => {
    kafka.next('Fetch', codes.notAuthorized)
    const [one, other] = [waiting(0), waiting(1)]
    for (const { over } of [one, other])
      expect(await over.catch((error: Error & { type?: string }) => error.type)).to.equal('TOPIC_AUTHORIZATION_FAILED')
    await append('a')
    await tail.wait(0, stop.signal)
    expect(heard).to.deep.equal(['KafkaJSProtocolError', 'answer'])
  })

  it('rejects its callers when it is closed, and polls no more', async () => {
    const [one, other] = [waiting(0), waiting(5)]
    await one.polling
    tail.close(new OperationError('log_closed', 'closed'))
    await expectFailure(one.over, 'log_closed')
    await expectFailure(other.over, 'log_closed')
    await endPoll()
    expect(fetches().filter((line) => line === poll(0))).to.have.lengthOf(1)
  })

  it('rejects a caller who comes after it was closed, and polls nothing', async () => {
    tail.close(new OperationError('log_closed', 'closed'))
    await expectFailure(tail.wait(0, stop.signal), 'log_closed')
    await settle()
    expect(fetches()).to.deep.equal([])
  })

  it('reports no failure after it is closed', async () => {
    kafka.next('Fetch', 'lost')
    const { over } = waiting(0)
    tail.close(new OperationError('log_closed', 'closed'))
    await expectFailure(over, 'log_closed')
    await settle()
    expect(heard).to.deep.equal([])
  })
})
