import { expect } from 'chai'
import type { Cluster } from '../../../infra/kafka-client/cluster.ts'
import { lastTransactionOf } from '../../../infra/kafka-client/last-transaction.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { createKafkaDouble, type KafkaDouble } from '../../support/log/kafka-double/kafka-double.ts'
import { codes } from '../../support/log/kafka-double/partition.ts'
import { createSteppingClock } from './stepping-clock.ts'

describe('the last transaction of a writer', () => {
  let kafka: KafkaDouble
  let cluster: Cluster

  beforeEach(() => {
    kafka = createKafkaDouble({ facts: 1 })
    cluster = kafka.clusterOf()
  })
  afterEach(() => kafka.expectDone())

  const outcome = (id = 'w') => lastTransactionOf(cluster, id, 1000)

  for (const [state, expected] of [
    ['PrepareCommit', 'commit'],
    ['CompleteCommit', 'commit'],
    ['Ongoing', 'abort'],
    ['PrepareAbort', 'abort'],
    ['CompleteAbort', 'abort'],
    ['PrepareEpochFence', 'abort'],
    ['Empty', 'commit'],
  ] as const)
    it(`ended with ${expected} if its state is ${state}`, async () => {
      kafka.coordinator.setState('w', state)
      expect(await outcome()).to.equal(expected)
      expect(kafka.take()).to.deep.equal(['DescribeTransactions w'])
    })

  it('counts as committed if the coordinator does not know the writer', async () => {
    expect(await outcome()).to.equal('commit')
    expect(kafka.take()).to.deep.equal(['DescribeTransactions w'])
  })

  it('counts as committed if the broker cannot describe transactions, which is then not asked', async () => {
    kafka.coordinator.setState('w', 'CompleteAbort')
    kafka.places.isOld = true
    expect(await outcome()).to.equal('commit')
    expect(kafka.take()).to.deep.equal([])
  })

  it('is remembered for each writer while the coordinator has forgotten it, until a newer one', async () => {
    kafka.coordinator.setState('w', 'CompleteAbort')
    kafka.coordinator.setState('v', 'CompleteCommit')
    await Promise.all([outcome('w'), outcome('v')])
    kafka.coordinator.setState('w', 'Empty')
    kafka.coordinator.setState('v', 'Empty')
    expect([await outcome('w'), await outcome('v')]).to.deep.equal(['abort', 'commit'])
    kafka.coordinator.setState('w', 'CompleteCommit')
    await outcome('w')
    kafka.coordinator.setState('w', 'Empty')
    expect(await outcome('w')).to.equal('commit')
  })

  // A text of 127 bytes is the shortest whose encoded length takes two bytes.
  for (const length of [126, 127, 200])
    it(`is found for a writer with a name of ${length} bytes`, async () => {
      const id = 'w'.repeat(length)
      kafka.coordinator.setState(id, 'CompleteAbort')
      expect(await outcome(id)).to.equal('abort')
    })

  it('is asked for again, of the coordinator of that moment, after a failure that passes', async () => {
    kafka.coordinator.setState('w', 'CompleteAbort')
    kafka.next('DescribeTransactions', codes.loading, 'lost')
    await outcome()
    kafka.places.coordinator = 1
    kafka.takeAll()
    expect(await outcome()).to.equal('abort')
    expect(kafka.takeAll()).to.deep.equal(['DescribeTransactions w', 'FindCoordinator w', 'DescribeTransactions w'])
  })

  it('stays unknown after a failure that does not pass', async () => {
    kafka.coordinator.setState('w', 'CompleteAbort')
    kafka.next('DescribeTransactions', codes.idNotAuthorized)
    await expectFailure(outcome(), 'log_failed')
    expect(kafka.take()).to.have.lengthOf(1)
    expect([...cluster.lastTransactions]).to.deep.equal([])
  })

  it('stays unknown if no broker answers before the patience ends', async () => {
    const clock = createSteppingClock()
    try {
      kafka.always('DescribeTransactions', () => {
        clock.move(400)
        return 'lost'
      })
      const failing = outcome()
      await expectFailure(failing, 'log_unavailable')
      expect(String(await failing.catch(String))).to.include('opening the writer w failed: no broker answers')
      expect(kafka.take()).to.have.lengthOf(3)
    } finally {
      clock.restore()
    }
  })
})
