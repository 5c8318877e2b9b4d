/**
 * Simulates one partition of a Kafka broker in memory. It checks the epoch and sequence number of every
 * batch.
 */
import assert from 'node:assert/strict'
import type { AbortedTransaction } from '../../../../infra/kafka-client/batches/committed-batches.ts'
import { crc32c } from '../../../../infra/kafka-client/batches/crc32c.ts'
import { encodeBatch } from '../../../../infra/kafka-client/batches/encode-batch.ts'
import { createDeferred } from './deferred.ts'

type Stored = Readonly<{ bytes: Buffer; firstOffset: number; nextOffset: number }>
type ProducerState = { epoch: number; nextSequence: number; newest: Readonly<{ sequence: number; offset: number }> }

export const codes = {
  offsetOutOfRange: 1,
  notLeader: 6,
  tooLarge: 10,
  loading: 14,
  notCoordinator: 16,
  notAuthorized: 29,
  outOfOrder: 45,
  duplicate: 46,
  invalidEpoch: 47,
  invalidState: 48,
  invalidMapping: 49,
  concurrent: 51,
  coordinatorFenced: 52,
  idNotAuthorized: 53,
  fenced: 90,
  idNotFound: 105,
} as const

/**
 * The size of the largest batch that a topic of the log accepts: a value, a key and the headers around them.
 */
const batchBytesMax = 1_048_576 + 65_535 + 1024

export type BatchHeader = Readonly<{
  producerId: bigint
  epoch: number
  sequence: number
  count: number
  isTransactional: boolean
  timestampMs: number
}>

export function headerOf(bytes: Buffer): BatchHeader {
  assert.equal(bytes.readInt32BE(8), bytes.length - 12, 'the length of a batch')
  assert.equal(bytes.readInt8(16), 2, 'the format of a batch')
  assert.equal(bytes.readUInt32BE(17), crc32c(bytes, 21), 'the checksum of a batch')
  const count = bytes.readInt32BE(57)
  assert.equal(bytes.readInt32BE(23), count - 1, 'the last offset of a batch')
  return {
    producerId: bytes.readBigInt64BE(43),
    epoch: bytes.readInt16BE(51),
    sequence: bytes.readInt32BE(53),
    count,
    isTransactional: (bytes.readInt16BE(21) & 0x10) !== 0,
    timestampMs: Number(bytes.readBigInt64BE(35)),
  }
}

export type Partition = ReturnType<typeof createPartition>

export function createPartition() {
  const batches: Stored[] = []
  const producers = new Map<bigint, ProducerState>()
  const open = new Map<bigint, number>()
  const aborted: (AbortedTransaction & Readonly<{ endOffset: number }>)[] = []
  let [startOffset, endOffset] = [0, 0]
  let changed = createDeferred()

  const store = (bytes: Buffer, count: number): number => {
    const baseOffset = endOffset
    bytes.writeBigInt64BE(BigInt(baseOffset), 0)
    endOffset += count
    batches.push({ bytes, firstOffset: baseOffset, nextOffset: endOffset })
    return baseOffset
  }
  const wake = () => {
    changed.resolve()
    changed = createDeferred()
  }
  const stableOffset = () => Math.min(endOffset, ...open.values())

  return {
    endOffset: () => endOffset,
    stableOffset,
    startOffset: () => startOffset,
    /** Resolves at the next batch or marker, or when `wake` is called. */
    changed: () => changed.promise,
    wake,
    /**
     * Returns the offset of the first batch whose time is not before `timestampMs`, or -1. Deleted batches
     * and batches of open transactions do not count.
     */
    offsetAt(timestampMs: number): number {
      const found = batches.find(
        ({ bytes, nextOffset }) => nextOffset > startOffset && Number(bytes.readBigInt64BE(35)) >= timestampMs,
      )
      return found && found.firstOffset < stableOffset() ? Math.max(startOffset, found.firstOffset) : -1
    },
    deleteBefore(offset: number) {
      startOffset = offset
    },
    append(bytes: Buffer): Readonly<{ errorCode: number; baseOffset: number }> {
      const { producerId, epoch, sequence, count, isTransactional } = headerOf(bytes)
      if (bytes.length > batchBytesMax) return { errorCode: codes.tooLarge, baseOffset: -1 }
      const state = producers.get(producerId) ?? unknown
      if (epoch === state.epoch && sequence === state.newest.sequence)
        return { errorCode: 0, baseOffset: state.newest.offset }
      const errorCode = refusalOf(state, epoch, sequence)
      if (errorCode !== 0) return { errorCode, baseOffset: -1 }
      const offset = store(Buffer.from(bytes), count)
      producers.set(producerId, { epoch, nextSequence: sequence + count, newest: { sequence, offset } })
      if (isTransactional && !open.has(producerId)) open.set(producerId, offset)
      wake()
      return { errorCode: 0, baseOffset: offset }
    },
    /** Writes the marker that ends the producer's transaction. */
    mark(producerId: bigint, epoch: number, isCommit: boolean) {
      const record = { key: String.fromCharCode(0, 0, 0, isCommit ? 1 : 0), value: Buffer.alloc(6) }
      const origin = { producerId, producerEpoch: epoch, firstSequence: -1, isTransactional: true, timestampMs: 1 }
      const marker = encodeBatch([record], origin)
      marker.writeInt16BE(0x30, 21)
      const firstOffset = open.get(producerId)
      open.delete(producerId)
      const offset = store(marker, 1)
      if (!isCommit && firstOffset !== undefined) aborted.push({ producerId, firstOffset, endOffset: offset })
      const state = producers.get(producerId)
      if (state?.epoch !== epoch)
        producers.set(producerId, { epoch, nextSequence: 0, newest: { sequence: -1, offset: -1 } })
      wake()
    },
    /**
     * Returns the complete batches from an offset on that fit in `bytesMax` bytes. The first batch is always
     * returned, even if it is larger.
     */
    read(offset: number, bytesMax: number) {
      const until = stableOffset()
      const found: Buffer[] = []
      let bytes = 0
      for (const batch of batches) {
        if (batch.nextOffset <= offset || batch.firstOffset >= until) continue
        bytes += batch.bytes.length
        if (found.length > 0 && bytes > bytesMax) break
        found.push(batch.bytes)
      }
      return { recordSet: Buffer.concat(found), aborted: aborted.filter((its) => its.endOffset >= offset) }
    },
    headers: () =>
      batches.filter(({ bytes }) => (bytes.readInt16BE(21) & 0x20) === 0).map((its) => headerOf(its.bytes)),
  }
}

const unknown: ProducerState = { epoch: -1, nextSequence: 0, newest: { sequence: -1, offset: -1 } }

/**
 * Returns an error code, or 0 for a valid batch. The first batch of an epoch has the sequence number 0. Every
 * later batch continues the batch before it.
 */
function refusalOf(state: ProducerState, epoch: number, sequence: number): number {
  if (epoch < state.epoch) return codes.invalidEpoch
  return sequence === (epoch === state.epoch ? state.nextSequence : 0) ? 0 : codes.outOfOrder
}
