/** A Produce request (version 7) with encoded record batches. */
import type { ProtocolCall } from '../kafkajs-parts.ts'

export type EncodedBatch = Readonly<{ topic: string; partition: number; bytes: Buffer }>

export type ProduceQuery = Readonly<{
  /** Null if the batches are written outside a transaction. */
  transactionalId: string | null
  timeoutMs: number
  /** The batches to append, at most one for each partition. */
  batches: readonly EncodedBatch[]
}>

export type PlacedBatch = Readonly<{ topic: string; partition: number; errorCode: number; baseOffset: number }>

const produceKey = 0
const allReplicas = -1
/**
 * The number of bytes for each partition in the answer: partition, error, base offset, append time, log start offset.
 */
const placedBytes = 4 + 2 + 8 + 8 + 8

export function produceCall(query: ProduceQuery): ProtocolCall<readonly PlacedBatch[]> {
  return {
    request: {
      apiKey: produceKey,
      apiVersion: 7,
      apiName: 'Produce',
      encode: async () => {
        const bytes = encodeQuery(query)
        return { buf: bytes, buffer: bytes }
      },
    },
    response: { decode: async (payload) => decodeProduceAnswer(payload), parse: async (answer) => answer },
  }
}

/** Encodes a query. Every partition has an entry of its own, so the same topic may be in several entries. */
function encodeQuery({ transactionalId, timeoutMs, batches }: ProduceQuery): Buffer {
  const head = Buffer.alloc(12 + Buffer.byteLength(transactionalId ?? ''))
  let at = head.writeInt16BE(transactionalId === null ? -1 : Buffer.byteLength(transactionalId), 0)
  at += head.write(transactionalId ?? '', at)
  at = head.writeInt16BE(allReplicas, at)
  at = head.writeInt32BE(timeoutMs, at)
  at = head.writeInt32BE(batches.length, at)
  const parts: Buffer[] = [head.subarray(0, at)]
  for (const { topic, partition, bytes } of batches) {
    const entry = Buffer.alloc(14 + Buffer.byteLength(topic))
    let end = entry.writeInt16BE(Buffer.byteLength(topic), 0)
    end += entry.write(topic, end)
    end = entry.writeInt32BE(1, end)
    end = entry.writeInt32BE(partition, end)
    end = entry.writeInt32BE(bytes.length, end)
    parts.push(entry.subarray(0, end), bytes)
  }
  return Buffer.concat(parts)
}

function decodeProduceAnswer(payload: Buffer): readonly PlacedBatch[] {
  const placed: PlacedBatch[] = []
  let at = 4
  for (let topics = payload.readInt32BE(0); topics > 0; topics--) {
    const nameBytes = payload.readUInt16BE(at)
    const topic = payload.toString('utf8', at + 2, at + 2 + nameBytes)
    at += 2 + nameBytes
    let partitions = payload.readInt32BE(at)
    at += 4
    for (; partitions > 0; partitions--) {
      placed.push({
        topic,
        partition: payload.readInt32BE(at),
        errorCode: payload.readInt16BE(at + 4),
        baseOffset: Number(payload.readBigInt64BE(at + 6)),
      })
      at += placedBytes
    }
  }
  return placed
}
