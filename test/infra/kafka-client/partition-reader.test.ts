import { expect } from 'chai'
import type { FetchAnswer } from '../../../infra/kafka-client/calls/fetch-call.ts'
import { createCluster } from '../../../infra/kafka-client/cluster.ts'
import type { Connections, NodeConnection } from '../../../infra/kafka-client/connections.ts'
import type { KafkajsBroker } from '../../../infra/kafka-client/kafkajs-parts.ts'
import { PartitionReader } from '../../../infra/kafka-client/partition-reader.ts'
import { expectFailure } from '../../contracts/log-contract.ts'

/** The broker has lost the marker of a commit, and the producer that could replace it has closed. */
describe('a reader of committed records that stay unreadable', () => {
  const stableOffset = 5
  let questionCount = 0

  const readerWith = (patienceMs: number) => {
    questionCount = 0
    const answer: FetchAnswer = {
      errorCode: 0,
      lastStableOffset: stableOffset,
      aborted: [],
      recordSet: Buffer.alloc(0),
    }
    const broker = {
      listOffsets: async () => ({ responses: [{ partitions: [{ offset: String(stableOffset) }] }] }),
    } as unknown as KafkajsBroker
    const lane: NodeConnection = {
      use: (question) => {
        questionCount++
        return question(broker)
      },
      send: async <Answer>() => {
        questionCount++
        return answer as Answer
      },
    }
    const connections: Connections = { to: () => lane, drop: () => {}, close: () => {} }
    const node = { nodeId: 1, host: 'broker', port: 1 }
    const directory = { leaderOf: async () => node, coordinatorOf: async () => node, forget: () => {} }
    const cluster = createCluster({ connections, directory, patienceMs })
    const append = (count: number) => cluster.appended.note('chain-a-derived', 0, stableOffset + count)
    append(1)
    return Object.assign(new PartitionReader(cluster, { topic: 'chain-a-derived', partition: 0 }), { append })
  }

  const readAWhile = async (reader: PartitionReader) => {
    const stop = new AbortController()
    const reading = reader.read(stableOffset, { bytesMax: 1, signal: stop.signal })
    const untilCount = questionCount + 2
    while (questionCount < untilCount) await new Promise(setImmediate)
    stop.abort()
    return await reading
  }

  it('returns nothing once the signal aborts', async () => {
    expect(await readAWhile(readerWith(60_000))).to.deep.equal([])
  })

  it('gives up in the end, so that the writer can be opened again', async () => {
    await expectFailure(readerWith(20).read(stableOffset, { bytesMax: 1 }), 'log_unavailable')
    await expectFailure(readerWith(20).bounds(), 'log_unavailable')
  })

  it('waits again for records that are appended later', async () => {
    const reader = readerWith(100)
    await expectFailure(reader.read(stableOffset, { bytesMax: 1 }), 'log_unavailable')
    reader.append(2)
    questionCount = 0
    await expectFailure(reader.read(stableOffset, { bytesMax: 1 }), 'log_unavailable')
    expect(questionCount).to.be.above(1)
  })
})
