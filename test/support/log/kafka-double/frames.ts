/**
 * Decodes the requests that the client encodes itself, and encodes the answers. The formats follow Kafka's
 * protocol guide.
 */
import assert from 'node:assert/strict'
import type { AbortedTransaction } from '../../../../infra/kafka-client/batches/committed-batches.ts'

export type FetchRequest = Readonly<{
  topic: string
  partition: number
  offset: number
  bytesMax: number
  waitMs: number
}>
type InitProducerRequest = Readonly<{
  transactionalId: string
  timeoutMs: number
  producerId: bigint
  epoch: number
}>
export type SentBatch = Readonly<{ topic: string; partition: number; bytes: Buffer }>
type ProduceRequest = Readonly<{ transactionalId: string | null; timeoutMs: number; batches: readonly SentBatch[] }>
export type Placed = Readonly<{ topic: string; partition: number; errorCode: number; baseOffset: number }>

const createReader = (bytes: Buffer) => {
  let at = 0
  const take = (count: number) => {
    const part = bytes.subarray(at, at + count)
    assert.equal(part.length, count, 'the request is too short')
    at += count
    return part
  }
  const int32 = () => take(4).readInt32BE()
  const int16 = () => take(2).readInt16BE()
  return {
    ...{ int16, int32, take },
    int8: () => take(1).readInt8(),
    int64: () => take(8).readBigInt64BE(),
    text: () => String(take(int16())),
    compactText() {
      let [length, shift, byte] = [0, 0, 0x80]
      for (; byte > 0x7f; shift += 7) {
        byte = take(1).readUInt8()
        length |= (byte & 0x7f) << shift
      }
      return String(take(length - 1))
    },
    noTags: () => assert.equal(take(1).readUInt8(), 0, 'the client sends no tagged fields'),
    end: () => assert.equal(at, bytes.length, 'the request has bytes after its last field'),
  }
}

/** Joins integers and buffers. Each integer is given with its size in bits. */
const encoded = (...fields: readonly (Buffer | readonly [bits: 8 | 16 | 32 | 64, value: number | bigint])[]): Buffer =>
  Buffer.concat(
    fields.map((field) => {
      if (Buffer.isBuffer(field)) return field
      const [bits, value] = field
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64BE(BigInt(value))
      return bytes.subarray(8 - bits / 8)
    }),
  )
const text = (value: string) => encoded([16, Buffer.byteLength(value)], Buffer.from(value))
const compactText = (value: string) => {
  const length = Buffer.byteLength(value) + 1
  const prefix = length < 128 ? encoded([8, length]) : Buffer.of((length & 0x7f) | 0x80, length >> 7)
  return Buffer.concat([prefix, Buffer.from(value)])
}

export function decodeInitProducer(bytes: Buffer): InitProducerRequest {
  const reader = createReader(bytes)
  reader.noTags()
  const request = {
    transactionalId: reader.compactText(),
    timeoutMs: reader.int32(),
    producerId: reader.int64(),
    epoch: reader.int16(),
  }
  reader.noTags()
  reader.end()
  return request
}

export const initProducerAnswer = (errorCode: number, producerId: bigint, epoch: number): Buffer =>
  encoded([8, 0], [32, 0], [16, errorCode], [64, producerId], [16, epoch], [8, 0])

export function decodeDescribe(bytes: Buffer): string {
  const reader = createReader(bytes)
  reader.noTags()
  assert.equal(reader.int8(), 2, 'the request names one transactional id')
  const transactionalId = reader.compactText()
  reader.noTags()
  reader.end()
  return transactionalId
}

/** Encodes the description of a transaction. After the state come timeout, start, producer and topics. */
export const describeAnswer = (errorCode: number, transactionalId: string, state: string): Buffer =>
  encoded(
    ...([[8, 0], [32, 0], [8, 2], [16, errorCode], compactText(transactionalId), compactText(state)] as const),
    ...([
      [32, 10_000],
      [64, 1n],
      [64, 7n],
      [16, 0],
      [8, 1],
      [8, 0],
      [8, 0],
    ] as const),
  )

export function decodeProduce(bytes: Buffer): ProduceRequest {
  const reader = createReader(bytes)
  const idBytes = reader.int16()
  const transactionalId = idBytes < 0 ? null : String(reader.take(idBytes))
  assert.equal(reader.int16(), -1, 'an append waits for all in-sync replicas')
  const timeoutMs = reader.int32()
  const batches: SentBatch[] = []
  for (let topics = reader.int32(); topics > 0; topics--) {
    const topic = reader.text()
    for (let partitions = reader.int32(); partitions > 0; partitions--)
      batches.push({ topic, partition: reader.int32(), bytes: Buffer.from(reader.take(reader.int32())) })
  }
  reader.end()
  return { transactionalId, timeoutMs, batches }
}

export const produceAnswer = (placed: readonly Placed[]): Buffer =>
  encoded(
    [32, placed.length],
    ...placed.flatMap(
      ({ topic, partition, errorCode, baseOffset }) =>
        [text(topic), [32, 1], [32, partition], [16, errorCode], [64, baseOffset], [64, -1], [64, 0]] as const,
    ),
    [32, 0],
  )

export function decodeFetch(bytes: Buffer): FetchRequest {
  const reader = createReader(bytes)
  assert.equal(reader.int32(), -1, 'a client is no replica')
  const waitMs = reader.int32()
  assert.equal(reader.int32(), 1, 'the broker answers at the first byte')
  const bytesMax = reader.int32()
  assert.equal(reader.int8(), 1, 'only committed records are read')
  assert.deepEqual([reader.int32(), reader.int32()], [0, -1], 'the request has no session')
  assert.equal(reader.int32(), 1)
  const topic = reader.text()
  assert.equal(reader.int32(), 1)
  const partition = reader.int32()
  assert.equal(reader.int32(), -1, 'the leader epoch is unknown')
  const offset = Number(reader.int64())
  assert.equal(reader.int64(), -1n)
  assert.equal(reader.int32(), bytesMax)
  assert.deepEqual([reader.int32(), reader.int16()], [0, 0], 'there are no forgotten topics and no rack')
  reader.end()
  return { topic, partition, offset, bytesMax, waitMs }
}

export type FetchResult = Readonly<{
  errorCode: number
  endOffset: number
  stableOffset: number
  aborted: readonly AbortedTransaction[]
  recordSet: Buffer
}>

export const fetchAnswer = ({ topic, partition }: FetchRequest, result: FetchResult): Buffer =>
  encoded(
    ...([[32, 0], [16, 0], [32, 0], [32, 1], text(topic), [32, 1], [32, partition]] as const),
    ...([
      [16, result.errorCode],
      [64, result.endOffset],
      [64, result.stableOffset],
      [64, 0],
    ] as const),
    [32, result.aborted.length],
    ...result.aborted.flatMap(
      ({ producerId, firstOffset }) =>
        [
          [64, producerId],
          [64, firstOffset],
        ] as const,
    ),
    ...([[32, -1], [32, result.recordSet.length], result.recordSet] as const),
  )
