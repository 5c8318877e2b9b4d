import { expect } from 'chai'
import { createLogOnCluster } from '../../../../infra/log/kafka/log-on-cluster.ts'
import type { Log, LogWriter } from '../../../../infra/log/log.ts'
import { createLogger } from '../../../../infra/telemetry.ts'
import { type TopicTable, topics } from '../../../../schemas/topics.ts'
import { describeFollowedTokens } from '../../../contracts/followed-tokens.ts'
import { describeLogContract, expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'
import { createDeferred } from '../../../support/log/kafka-double/deferred.ts'
import { createKafkaDouble, type KafkaDouble } from '../../../support/log/kafka-double/kafka-double.ts'
import { codes } from '../../../support/log/kafka-double/partition.ts'
import type { Api } from '../../../support/log/kafka-double/script.ts'
import { createManualTimers } from './manual-timers.ts'

const factsOf = (partition: number, offset = 0) => ({ topic: 'chain-a-facts', partition, offset }) as const

const doubleOf = (table: TopicTable) =>
  createKafkaDouble(Object.fromEntries(Object.values(table).map((its) => [`s-${its.name}`, its.partitionCount])))

function openOn(kafka: KafkaDouble, topicTable: TopicTable, nowMs: () => number) {
  const lines: string[] = []
  const sink = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
  const logger = createLogger('test', 'info', sink)
  const log = createLogOnCluster(kafka.clusterOf(), { topicPrefix: 's-', topicTable, nowMs, logger })
  return { log, lines }
}

describeLogContract('the log on a cluster in memory', {
  create: async (nowMs) => openOn(doubleOf(topics), topics, nowMs).log,
  runCount: 4,
  isDense: false,
  compactsOnMaintain: false,
})

describeFollowedTokens('the log on a cluster in memory', {
  create: async () => openOn(doubleOf(topics), topics, Date.now).log,
})

describe('the log on a cluster', () => {
  const topicTable = {
    'chain-a-facts': { ...topics['chain-a-facts'], partitionCount: 2 },
    payments: topics.payments,
    addresses: { ...topics.addresses, retentionMs: topics['chain-a-facts'].retentionMs },
  } as TopicTable
  let timers: ReturnType<typeof createManualTimers>
  let kafka: KafkaDouble
  let log: Log
  let lines: string[]
  let nowMs: number

  beforeEach(() => {
    nowMs = 1_000_000
    timers = createManualTimers()
    kafka = doubleOf(topicTable)
    const open = openOn(kafka, topicTable, () => nowMs)
    log = open.log
    lines = open.lines
  })
  afterEach(async () => {
    await log.close()
    timers.restore()
    kafka.expectDone()
  })

  /** Delays the next request of an API until the test releases it. */
  const hold = (api: Api) => {
    const late = createDeferred()
    kafka.next(api, late.promise)
    return { arrived: kafka.arrival(api), release: late.resolve }
  }

  describe('that is closed during a call', () => {
    type Parts = Readonly<{ log: Log; writer: LogWriter; ledger: LogWriter; again: LogWriter }>
    const calls: readonly (readonly [name: string, api: Api, call: (parts: Parts) => Promise<unknown>])[] = [
      ['a read', 'Fetch', ({ log: its }) => its.read(factsOf(1))],
      ['a question for the bounds', 'ListOffsets', ({ log: its }) => its.bounds('chain-a-facts', 1)],
      ['maintenance', 'ListOffsets', ({ log: its }) => its.maintain(0)],
      ['the opening of a writer', 'InitProducerId', ({ log: its }) => its.openWriter('other')],
      ['an append before its records', 'AddPartitionsToTxn', ({ writer }) => writer.append([fact(0, 'a')])],
      ['an append before its commit', 'EndTxn', ({ writer }) => writer.append([fact(0, 'a')])],
      ['an append outside a transaction', 'Produce', ({ ledger }) => ledger.append([fact(0, 'a')])],
      ['a confirmation', 'EndTxn', ({ writer }) => writer.confirm()],
      ['the reopening of a writer', 'InitProducerId', ({ writer }) => writer.reopen()],
      ['an append of a reopened writer', 'EndTxn', ({ again }) => again.append([fact(0, 'a')])],
      ['a confirmation of a reopened writer', 'EndTxn', ({ again }) => again.confirm()],
    ]
    for (const [name, api, call] of calls)
      it(`fails ${name} with log_closed, and asks the brokers no more`, async () => {
        const writer = await log.openWriter('w')
        const ledger = await log.openWriter('ledger', { isTransactional: false })
        const again = await (await log.openWriter('again')).reopen()
        const { arrived } = hold(api)
        const calling = call({ log, writer, ledger, again })
        calling.catch(() => {})
        await arrived
        await log.close()
        kafka.takeAll()
        await expectFailure(calling, 'log_closed')
        expect(kafka.takeAll()).to.deep.equal([])
      })
  })

  it('fails a call with its own failure while it is open, and serves the next call', async () => {
    const writer = await log.openWriter('w')
    kafka.next('EndTxn', 'lost')
    await expectFailure(writer.append([fact(0, 'a')]), 'log_unavailable')
    kafka.next('Fetch', codes.notAuthorized)
    await expectFailure(log.read(factsOf(0)), 'log_failed')
    await (await writer.reopen()).append([fact(0, 'b')])
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['b'])
  })

  it('ends a read without records if its signal aborts while no broker answers', async () => {
    const stop = new AbortController()
    kafka.always('Fetch', () => 'lost')
    const arrived = kafka.arrival('Fetch')
    const reading = log.read(factsOf(0), { signal: stop.signal })
    await arrived
    stop.abort()
    expect(await reading).to.deep.equal([])
  })

  describe('and the life of its process', () => {
    it('keeps the process alive during calls only, the failed ones too', async () => {
      expect(timers.counts()).to.deep.equal({ all: 1, holding: 0 })
      const [first, second] = [hold('Fetch'), hold('Fetch')]
      const reading = log.read(factsOf(0))
      await first.arrived
      expect(timers.counts().holding).to.equal(1)
      const other = log.read(factsOf(1))
      await second.arrived
      first.release()
      await reading
      expect(timers.counts().holding).to.equal(1)
      second.release()
      await other
      expect(timers.counts().holding).to.equal(0)
      kafka.next('Fetch', codes.notAuthorized)
      await expectFailure(log.read(factsOf(0)), 'log_failed')
      await expectFailure(log.read(factsOf(7)), 'partition_out_of_range')
      expect(timers.counts().holding).to.equal(0)
    })

    it('does not keep the process alive while readers wait', async () => {
      const stop = new AbortController()
      const arrived = kafka.arrival('Fetch')
      const waiting = log.waitForAppend(factsOf(0), stop.signal)
      await arrived
      expect(timers.counts().holding).to.equal(0)
      stop.abort()
      await waiting
    })

    it('leaves no timer when it is closed', async () => {
      await log.close()
      expect(timers.counts().all).to.equal(0)
    })
  })

  describe('at maintenance', () => {
    const retentionMs = topics['chain-a-facts'].retentionMs ?? 0
    const payment = { topic: 'payments', partition: 0, key: 'p', value: Buffer.from('paid') } as const
    const address = { topic: 'addresses', partition: 0, key: 'a', value: Buffer.from('pool') } as const
    const deletionsAt = async (atMs: number) => {
      kafka.take()
      await log.maintain(atMs)
      return kafka.take().filter((line) => line.startsWith('DeleteRecords'))
    }

    it('asks only about topics with an age limit that are not compacted', async () => {
      await log.maintain(nowMs)
      expect(kafka.take().map((line) => line.replace(/^ListOffsets \w+ /, ''))).to.deep.equal(
        [0, 0, 1, 1].map((partition) => `s-chain-a-facts[${partition}]`),
      )
    })

    it('deletes the records that are older than the limit, and never one that is exactly as old', async () => {
      const writer = await log.openWriter('w', { isTransactional: false })
      const append = (text: string) => writer.append([fact(0, text), payment, address])
      const startMs = nowMs
      for (const text of ['a', 'b', 'c']) {
        await append(text)
        nowMs += 1
      }
      nowMs = startMs + retentionMs
      await append('d')
      expect(await deletionsAt(nowMs + 9)).to.deep.equal([])
      nowMs += 2
      await append('e')
      expect(await deletionsAt(nowMs - 1)).to.deep.equal(['DeleteRecords s-chain-a-facts/0 before 2'])
      expect(await deletionsAt(nowMs)).to.deep.equal(['DeleteRecords s-chain-a-facts/0 before 3'])
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['c', 'd', 'e'])
      expect(await deletionsAt(nowMs)).to.deep.equal([])
    })

    it('deletes at the new leader if the leader has moved, and again if the answer was lost', async () => {
      const writer = await log.openWriter('w', { isTransactional: false })
      await writer.append([fact(0, 'a')])
      nowMs += retentionMs + 1
      await writer.append([fact(0, 'b')])
      kafka.next('DeleteRecords', codes.notLeader, 'answer lost')
      expect(await deletionsAt(nowMs)).to.deep.equal(Array(3).fill('DeleteRecords s-chain-a-facts/0 before 2'))
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['b'])
    })
  })

  describe('whose brokers are away', () => {
    const stop = new AbortController()
    /**
     * Waits for a record of a partition. `polled` resolves as soon as the broker has received the next long
     * poll.
     */
    const follow = (partition: number) => {
      const over = log.waitForAppend(factsOf(partition), stop.signal)
      over.catch(() => {})
      return over
    }
    const polled = (partition: number) => kafka.arrival(`Fetch s-chain-a-facts/${partition} `)
    const settle = async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    }
    const goAway = async () => {
      const first = [polled(0), polled(1)]
      kafka.always('Fetch', () => 'lost')
      // The brokers answer the running polls, but do not answer the next ones.
      for (const partition of [0, 1]) kafka.partition('s-chain-a-facts', partition).wake()
      await Promise.all(first)
      await Promise.all([polled(0), polled(1)])
    }
    const comeBack = async (partition: number) => {
      await polled(partition)
      await settle()
      kafka.partition('s-chain-a-facts', partition).wake()
      await settle()
    }

    it('says once that the log is out of reach, and once that all waiting readers reach it again', async () => {
      const polls = [polled(0), polled(1)]
      const waits = [follow(0), follow(0), follow(1)]
      await Promise.all(polls)
      expect(lines).to.deep.equal([])
      for (const before of [0, 2]) {
        await settle()
        await goAway()
        const away = 'the log cannot be reached. The program tries again until it succeeds'
        expect(lines.slice(before)).to.deep.equal([away])
        kafka.always('Fetch', null)
        const back = comeBack(1)
        await comeBack(0)
        await back
        expect(lines.slice(before)).to.deep.equal([away, 'the log can be reached again'])
      }
      await log.close()
      for (const wait of waits) await expectFailure(wait, 'log_closed')
    })

    it('is still out of reach while one waiting reader has no answer', async () => {
      const polls = [polled(0), polled(1)]
      void [follow(0), follow(1)]
      await Promise.all(polls)
      await settle()
      await goAway()
      kafka.always('Fetch', null)
      const writer = await log.openWriter('w', { isTransactional: false })
      await writer.append([fact(0, 'a')])
      await log.waitForAppend(factsOf(0), stop.signal)
      expect(lines).to.have.lengthOf(1)
    })

    it('says nothing if a broker answers that it does not lead the partition, and asks who does', async () => {
      kafka.next('Fetch', codes.notLeader, codes.notLeader)
      const polls = polled(0)
      void follow(0)
      await polls
      kafka.takeAll()
      await polled(0)
      await polled(0)
      expect(kafka.takeAll().filter((line) => line === 'Metadata')).to.have.lengthOf(2)
      expect(lines).to.deep.equal([])
    })
  })
})
