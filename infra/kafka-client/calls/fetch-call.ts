/** A Fetch request (version 11) for one partition. Its answer is decoded without creating an object for each record. */
import type { AbortedTransaction } from '../batches/committed-batches.ts'
import type { ProtocolCall } from '../kafkajs-parts.ts'

export type FetchQuery = Readonly<{
  topic: string
  partition: number
  offset: number
  /**
   * The target size of the answer, in bytes. The broker sends at least one whole batch, even if the batch is larger.
   */
  bytesMax: number
  /** The time for which the broker waits if it has no record, in milliseconds. */
  waitMs: number
}>

export type FetchAnswer = Readonly<{
  errorCode: number
  /** The last stable offset. Every record below it is committed or aborted. */
  lastStableOffset: number
  aborted: readonly AbortedTransaction[]
  recordSet: Buffer
}>

const fetchKey = 1
const readCommitted = 1

export function fetchCall(query: FetchQuery): ProtocolCall<FetchAnswer> {
  return {
    request: {
      apiKey: fetchKey,
      apiVersion: 11,
      apiName: 'Fetch',
      encode: async () => {
        const bytes = encodeQuery(query)
        return { buf: bytes, buffer: bytes }
      },
    },
    response: { decode: async (payload) => decodeFetchAnswer(payload), parse: async (answer) => answer },
  }
}

function encodeQuery({ topic, partition, offset, bytesMax, waitMs }: FetchQuery): Buffer {
  const topicBytes = Buffer.byteLength(topic)
  const bytes = Buffer.alloc(71 + topicBytes)
  let at = bytes.writeInt32BE(-1, 0)
  at = bytes.writeInt32BE(waitMs, at)
  // The broker answers as soon as it has one byte of records.
  at = bytes.writeInt32BE(1, at)
  at = bytes.writeInt32BE(bytesMax, at)
  at = bytes.writeInt8(readCommitted, at)
  // Session id 0 and epoch -1 mean that the request belongs to no fetch session.
  at = bytes.writeInt32BE(0, at)
  at = bytes.writeInt32BE(-1, at)
  at = bytes.writeInt32BE(1, at)
  at = bytes.writeInt16BE(topicBytes, at)
  at += bytes.write(topic, at)
  at = bytes.writeInt32BE(1, at)
  at = bytes.writeInt32BE(partition, at)
  // The leader epoch is unknown.
  at = bytes.writeInt32BE(-1, at)
  at = bytes.writeBigInt64BE(BigInt(offset), at)
  // Only a follower broker sends its log start offset.
  at = bytes.writeBigInt64BE(-1n, at)
  at = bytes.writeInt32BE(bytesMax, at)
  // The list of forgotten topics is empty, and the rack id is empty.
  at = bytes.writeInt32BE(0, at)
  at = bytes.writeInt16BE(0, at)
  return bytes.subarray(0, at)
}

/**
 * Decodes an answer. It skips the fields that are not used: throttle time, session, high watermark, log start offset,
 * preferred replica.
 */
function decodeFetchAnswer(payload: Buffer): FetchAnswer {
  const failure = payload.readInt16BE(4)
  if (failure !== 0 || payload.readInt32BE(10) === 0) return failed(failure)
  // Throttle time, error, session and topic count come first. Then come the topic's name, the partition count and the
  // partition.
  let at = 14
  at += 2 + payload.readInt16BE(at) + 4 + 4
  const errorCode = payload.readInt16BE(at)
  const lastStableOffset = Number(payload.readBigInt64BE(at + 10))
  at += 26
  const abortedCount = Math.max(0, payload.readInt32BE(at))
  at += 4
  const aborted = Array.from({ length: abortedCount }, (_, index) => ({
    producerId: payload.readBigInt64BE(at + index * 16),
    firstOffset: Number(payload.readBigInt64BE(at + index * 16 + 8)),
  }))
  // Skips the preferred replica.
  at += abortedCount * 16 + 4
  const recordBytes = Math.max(0, payload.readInt32BE(at))
  return { errorCode, lastStableOffset, aborted, recordSet: payload.subarray(at + 4, at + 4 + recordBytes) }
}

const failed = (errorCode: number): FetchAnswer => ({
  errorCode,
  lastStableOffset: -1,
  aborted: [],
  recordSet: Buffer.alloc(0),
})
