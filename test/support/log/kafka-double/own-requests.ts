/** Answers the requests that the client encodes itself. */
import assert from 'node:assert/strict'
import type { ProtocolCall } from '../../../../infra/kafka-client/kafkajs-parts.ts'
import type { Brokers, Node } from './brokers.ts'
import * as frames from './frames.ts'
import { codes, headerOf } from './partition.ts'
import type { Served } from './script.ts'

type Place = Readonly<{ brokers: Brokers; node: Node }>

export function frameServed(
  place: Place,
  { apiKey, apiVersion }: ProtocolCall<unknown>['request'],
  bytes: Buffer,
): Served<Buffer> {
  const { brokers, node } = place
  const { coordinator } = brokers
  const refusal = () => brokers.refusalAtCoordinator(node)
  const handlers: Readonly<Record<string, () => Served<Buffer>>> = {
    '22 3': () => {
      const { transactionalId, timeoutMs, producerId, epoch } = frames.decodeInitProducer(bytes)
      return {
        api: 'InitProducerId',
        line: `InitProducerId ${transactionalId} after ${producerId}:${epoch} within ${timeoutMs}`,
        refusal,
        answer: () => {
          const its = coordinator.init({ transactionalId, producerId, epoch })
          return frames.initProducerAnswer(its.errorCode, its.producerId, its.epoch)
        },
        refused: (code) => frames.initProducerAnswer(code, -1n, -1),
      }
    },
    '65 0': () => {
      const id = frames.decodeDescribe(bytes)
      return {
        api: 'DescribeTransactions',
        line: `DescribeTransactions ${id}`,
        refusal,
        answer: () => {
          const state = coordinator.stateOf(id)
          return frames.describeAnswer(state === null ? codes.idNotFound : 0, id, state ?? '')
        },
        refused: (code) => frames.describeAnswer(code, id, ''),
      }
    },
    '0 7': () => produceServed(place, frames.decodeProduce(bytes)),
    '1 11': () => fetchServed(place, frames.decodeFetch(bytes)),
  }
  const handler = handlers[`${apiKey} ${apiVersion}`]
  assert(handler, `the double knows no request ${apiKey} in version ${apiVersion}`)
  return handler()
}

function produceServed({ brokers, node }: Place, request: ReturnType<typeof frames.decodeProduce>): Served<Buffer> {
  const { coordinator, partitionOf, refusalAtLeader } = brokers
  const { transactionalId, timeoutMs, batches } = request
  const texts = batches.map(({ topic, partition, bytes }) => {
    const { producerId, epoch, sequence, count } = headerOf(bytes)
    return `${topic}/${partition} ${producerId}:${epoch} #${sequence}+${count}`
  })
  const placed = ({ topic, partition, bytes }: frames.SentBatch): frames.Placed => {
    const refused = (errorCode: number) => ({ topic, partition, errorCode, baseOffset: -1 })
    const { isTransactional } = headerOf(bytes)
    const id = `${topic}/${partition}`
    const misplaced = refusalAtLeader(node, partition)
    if (misplaced !== 0) return refused(misplaced)
    if (isTransactional !== (transactionalId !== null)) return refused(codes.invalidState)
    if (transactionalId !== null && !coordinator.isPartOf(transactionalId, id)) return refused(codes.invalidState)
    return { topic, partition, ...partitionOf(id).append(bytes) }
  }
  return {
    api: 'Produce',
    line: `Produce ${transactionalId ?? '-'} within ${timeoutMs}: ${texts.join(', ')}`,
    answer: () => frames.produceAnswer(batches.map(placed)),
    refused: (errorCode) =>
      frames.produceAnswer(
        // Only the first batch is refused. The broker stores the other batches.
        batches.map((batch, index) => (index === 0 ? { ...batch, errorCode, baseOffset: -1 } : placed(batch))),
      ),
  }
}

function fetchServed({ brokers, node }: Place, request: frames.FetchRequest): Served<Buffer> {
  const { partitionOf, refusalAtLeader } = brokers
  const { topic, partition, offset, bytesMax, waitMs } = request
  const its = partitionOf(`${topic}/${partition}`)
  const answered = (errorCode: number, found: Pick<frames.FetchResult, 'recordSet' | 'aborted'>) =>
    frames.fetchAnswer(request, {
      ...found,
      ...{ errorCode, endOffset: its.endOffset(), stableOffset: its.stableOffset() },
    })
  const empty = { recordSet: Buffer.alloc(0), aborted: [] }
  return {
    api: 'Fetch',
    line: `Fetch ${topic}/${partition} from ${offset}, ${bytesMax} bytes, ${waitMs} ms`,
    refusal: () => {
      const misplaced = refusalAtLeader(node, partition)
      if (misplaced !== 0) return misplaced
      return offset < its.startOffset() || offset > its.endOffset() ? codes.offsetOutOfRange : 0
    },
    answer: async () => {
      if (waitMs > 0 && its.stableOffset() <= offset) await its.changed()
      return answered(0, its.read(offset, bytesMax))
    },
    refused: (code) => answered(code, empty),
  }
}
