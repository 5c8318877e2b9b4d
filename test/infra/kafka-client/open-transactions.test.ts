import { expect } from 'chai'
import { openTransactions } from '../../../infra/kafka-client/open-transactions.ts'

type Asked = Readonly<{
  isolationLevel: number
  topics: readonly Readonly<{ topic: string; partitions: readonly object[] }>[]
}>

/** The last stable offset and the end of each partition. Partitions with an even number are on the first broker. */
type Offsets = Readonly<Record<string, readonly [stable: number, end: number]>>

function clusterOf(offsets: Offsets, failures: readonly Error[] = []) {
  const [left, requests]: [Error[], string[]] = [[...failures], []]
  const cluster = {
    directory: {
      leaderOf: async (_: string, partition: number) => ({ host: `broker-${partition % 2}`, port: 9092 }),
      forget: () => void requests.push('forget'),
    },
    connections: {
      to: (purpose: string, { host, port }: Readonly<{ host: string; port: number }>) => ({
        async use(question: (broker: object) => Promise<unknown>) {
          expect([purpose, port]).to.deep.equal(['directory', 9092])
          const failure = left.shift()
          if (failure) throw failure
          return question({ listOffsets: async (asked: Asked) => answer(host, asked) })
        },
      }),
    },
  }
  const answer = (host: string, { isolationLevel, topics }: Asked) => {
    requests.push(`${host} ${isolationLevel} ${topics.map(({ topic, partitions }) => `${topic}/${partitions.length}`)}`)
    const of = (topic: string, partition: number) => offsets[`${topic}/${partition}`]?.[isolationLevel === 1 ? 0 : 1]
    return {
      responses: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map((each) => {
          const { partition, timestamp } = each as Readonly<{ partition: number; timestamp: number }>
          expect(timestamp, 'the newest offset').to.equal(-1)
          return { partition, offset: String(of(topic, partition)) }
        }),
      })),
    }
  }
  const look = (partitions: readonly number[], patienceMs = 1_000) =>
    openTransactions(cluster as never, [{ topic: 'a', partitions }] as never, patienceMs)
  return { look, requests }
}

const away = () => Object.assign(new Error('the connection was closed'), { name: 'KafkaJSConnectionError' })

describe('the look for open transactions', () => {
  it('finds the partitions whose last stable offset is below the end', async () => {
    const { look, requests } = clusterOf({ 'a/0': [5, 5], 'a/1': [4, 6], 'a/2': [8, 9], 'a/3': [0, 0] })
    const found = await look([0, 1, 2, 3])
    expect(found).to.have.deep.members([
      { topic: 'a', partitions: [2] },
      { topic: 'a', partitions: [1] },
    ])
    expect(requests.toSorted()).to.deep.equal(['broker-0 0 a/2', 'broker-0 1 a/2', 'broker-1 0 a/2', 'broker-1 1 a/2'])
  })

  it('names no topic without an open partition', async () => {
    expect(await clusterOf({ 'a/0': [5, 5] }).look([0])).to.deep.equal([])
  })

  it('asks for the leader again after a broker did not answer', async () => {
    const { look, requests } = clusterOf({ 'a/0': [1, 2] }, [away()])
    expect(await look([0])).to.deep.equal([{ topic: 'a', partitions: [0] }])
    expect(requests[0]).to.equal('forget')
  })

  it('gives up after its patience', async () => {
    const { look } = clusterOf({}, Array.from({ length: 1000 }, away))
    const error = await look([0], 20).catch((failure) => failure)
    expect(error).to.include({ code: 'log_unavailable' })
    expect(error.message).to.contain('looking for open transactions')
  })
})
