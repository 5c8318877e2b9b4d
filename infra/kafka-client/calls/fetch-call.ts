/** One partition's Fetch request (version 11), its answer taken apart without an object for each record. */

import type { AbortedTransaction } from '../batches/committed-batches.ts'
import type { ProtocolCall } from '../kafkajs-parts.ts'

export type FetchQuery = Readonly<{
  topic: string
  partition: number
  offset: number
  /** The broker sends one whole batch even where that is larger. */
  bytesMax: number
  /** How long the broker waits for the first byte. */
  waitMs: number
}>

export type FetchAnswer = Readonly<{
  errorCode: number
  /** Everything before it is decided: committed or aborted. */
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
  // At least one byte, as soon as there is one.
  at = bytes.writeInt32BE(1, at)
  at = bytes.writeInt32BE(bytesMax, at)
  at = bytes.writeInt8(readCommitted, at)
  // No fetch session: its id and epoch.
  at = bytes.writeInt32BE(0, at)
  at = bytes.writeInt32BE(-1, at)
  at = bytes.writeInt32BE(1, at)
  at = bytes.writeInt16BE(topicBytes, at)
  at += bytes.write(topic, at)
  at = bytes.writeInt32BE(1, at)
  at = bytes.writeInt32BE(partition, at)
  // The leader's epoch and our log start: not known, not a follower.
  at = bytes.writeInt32BE(-1, at)
  at = bytes.writeBigInt64BE(BigInt(offset), at)
  at = bytes.writeBigInt64BE(-1n, at)
  at = bytes.writeInt32BE(bytesMax, at)
  // No forgotten topics, no rack.
  at = bytes.writeInt32BE(0, at)
  at = bytes.writeInt16BE(0, at)
  return bytes.subarray(0, at)
}

/** The last stable offset follows error code and high watermark; the aborted transactions follow the log's start. */
function decodeFetchAnswer(payload: Buffer): FetchAnswer {
  const failure = payload.readInt16BE(4)
  if (failure !== 0 || payload.readInt32BE(10) === 0) return failed(failure)
  // Throttle time, error, session, one topic; its name, one partition and its number.
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
  // The preferred replica.
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
