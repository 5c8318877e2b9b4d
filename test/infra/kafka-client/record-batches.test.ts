import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { isOperationError } from '../../../infra/errors.ts'
import { type AbortedTransaction, committedBatches } from '../../../infra/kafka-client/batches/committed-batches.ts'
import { crc32c } from '../../../infra/kafka-client/batches/crc32c.ts'
import { packBatch, storedBatches } from '../../../infra/kafka-client/batches/decode-batch.ts'
import { encodeBatch } from '../../../infra/kafka-client/batches/encode-batch.ts'
import { type PackedRecord, RecordBatch } from '../../../infra/log/record-batch.ts'

const require = createRequire(import.meta.url)
const timestampMs = 1_700_000_000_123

type Stored = Readonly<{ offset: number; producer?: number; records: readonly PackedRecord[] }>

/** Returns a batch as a broker stores it at an offset. The batch is in a transaction if it has a producer. */
function stored({ offset, producer, records }: Stored): Buffer {
  const batch = encodeBatch(records, {
    producerId: BigInt(producer ?? -1),
    producerEpoch: 0,
    firstSequence: 0,
    isTransactional: producer !== undefined,
    timestampMs,
  })
  batch.writeBigInt64BE(BigInt(offset), 0)
  return batch
}

/** Returns a transaction marker. It is a control batch with one record, whose key is a version and a type. */
function marker(offset: number, producer: number, type: 'abort' | 'commit'): Buffer {
  const key = String.fromCharCode(0, 0, 0, type === 'abort' ? 0 : 1)
  const batch = stored({ offset, producer, records: [{ key, value: Buffer.alloc(6) }] })
  batch.writeInt16BE(batch.readInt16BE(21) | 0x20, 21)
  return batch
}

const data = (offset: number, producer?: number, key = 'k') =>
  stored({ offset, ...(producer === undefined ? {} : { producer }), records: [{ key, value: Buffer.from('v') }] })

const aborted = (producer: number, firstOffset: number): AbortedTransaction => ({
  producerId: BigInt(producer),
  firstOffset,
})

type Origin = Readonly<{ producerId: bigint; producerEpoch: number; firstSequence: number; isTransactional: boolean }>

/** Returns a batch as kafkajs encodes it. A client does not know the epoch of the leader, so it sends -1. */
async function kafkajsBatch(records: readonly PackedRecord[], origin: Origin): Promise<Buffer> {
  const { RecordBatch: encode } = require('kafkajs/src/protocol/recordBatch/v0/index.js')
  const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js')
  const { isTransactional: transactional, producerId, producerEpoch, firstSequence } = origin
  const { buffer } = await encode({
    ...{ transactional, producerId: producerId.toString(), producerEpoch, firstSequence, partitionLeaderEpoch: -1 },
    ...{ firstTimestamp: timestampMs, maxTimestamp: timestampMs, lastOffsetDelta: records.length - 1 },
    records: records.map(({ key, value }, offsetDelta) => encodeRecord({ offsetDelta, key, value })),
  })
  return buffer
}

describe('record batches of a broker', () => {
  it('have the checksum of Kafka', () => {
    expect(crc32c(Buffer.from('123456789'))).to.equal(0xe3069283)
    expect(crc32c(Buffer.from('--123456789'), 2)).to.equal(0xe3069283)
    expect(crc32c(Buffer.alloc(0))).to.equal(0)
  })

  const record = fc.record({
    key: fc.string({ maxLength: 200, unit: 'grapheme' }),
    value: fc.option(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))),
  })

  it('have the bytes that kafkajs encodes', async () => {
    const origin = fc.record({
      producerId: fc.bigInt({ min: 0n, max: 2n ** 40n }),
      producerEpoch: fc.nat(30_000),
      firstSequence: fc.nat(),
      isTransactional: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), origin, async (records, its) => {
        const [encoded, expected] = [encodeBatch(records, { ...its, timestampMs }), await kafkajsBatch(records, its)]
        expect(encoded.toString('hex')).to.equal(expected.toString('hex'))
      }),
    )
  })

  it('return the encoded records, as many whole batches as were fetched', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(record, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        (batches, cut) => {
          let offset = 7
          const parts = batches.map((records) => {
            const bytes = stored({ offset, records })
            offset += records.length
            return bytes
          })
          const whole = Buffer.concat(parts)
          const fetched = whole.subarray(0, whole.length - (cut % whole.length))
          const read = [...storedBatches(fetched)].map((batch) => recordsOf(new RecordBatch(packBatch(batch)!)))
          const ends = parts.map((_, index) => Buffer.concat(parts.slice(0, index + 1)).length)
          const expected = batches.slice(0, ends.filter((end) => end <= fetched.length).length)
          expect(read.map((records) => records.map(({ key, value }) => ({ key, value })))).to.deep.equal(expected)
          expect(read.flat().map(({ offset }) => offset)).to.deep.equal(read.flat().map((_, index) => 7 + index))
          for (const { atMs } of read.flat()) expect(atMs).to.equal(timestampMs)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('are read or refused as corrupt with any bytes changed, and never take memory for what is not there', () => {
    const change = fc.record({ at: fc.nat({ max: 200 }), to: fc.nat({ max: 255 }) })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.boolean(), (changes, isMarker) => {
        const bytes = Buffer.concat([data(5), isMarker ? marker(6, 1, 'commit') : data(6), data(7)])
        for (const { at, to } of changes) bytes[at % bytes.length] = to
        try {
          for (const batch of committedBatches(storedBatches(bytes), [])) packBatch(batch)
        } catch (error) {
          expect(isOperationError(error, 'record_corrupt'), String(error)).to.equal(true)
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('are refused if they claim more records than they have bytes for, or unpack to far more than a batch', () => {
    const many = data(5)
    many.writeInt32BE(2 ** 31 - 1, 57)
    const bomb = gzipSync(Buffer.alloc(100 << 20))
    const packed = Buffer.concat([data(5).subarray(0, 61), bomb])
    packed.writeInt32BE(packed.length - 12, 8)
    packed.writeInt16BE(1, 21)
    for (const bytes of [many, packed]) {
      const [batch] = [...storedBatches(bytes)]
      expect(() => packBatch(batch as never)).to.throw(/do not fit its 2147483647 records|cannot be unpacked/)
    }
  })

  it('do not keep the response in memory', () => {
    const response = data(3)
    const block = packBatch([...storedBatches(response)][0]!)!
    expect(block.bytes.buffer).to.not.equal(response.buffer)
    response.fill(0)
    expect(recordsOf(new RecordBatch(block))[0]?.key).to.equal('k')
  })

  it('keep the offsets of records if compaction has removed others between them', () => {
    const batch = stored({ offset: 10, records: ['a', 'b', 'c'].map((key) => ({ key, value: Buffer.from(key) })) })
    // Cuts out the middle record, as a broker's compaction does. The other records keep their offset deltas.
    const recordBytes = (batch.length - 61) / 3
    const compacted = Buffer.concat([batch.subarray(0, 61 + recordBytes), batch.subarray(61 + 2 * recordBytes)])
    compacted.writeInt32BE(compacted.length - 12, 8)
    compacted.writeInt32BE(2, 57)
    const [found] = [...storedBatches(compacted)]
    expect(found?.nextOffset).to.equal(13)
    expect(recordsOf(new RecordBatch(packBatch(found!)!)).map(({ offset, key }) => [offset, key])).to.deep.equal([
      [10, 'a'],
      [12, 'c'],
    ])
  })

  it('may have no records after compaction', () => {
    const batch = data(5).subarray(0, 61)
    batch.writeInt32BE(49, 8)
    batch.writeInt32BE(0, 57)
    const [found] = [...storedBatches(batch)]
    expect([found?.nextOffset, packBatch(found!)]).to.deep.equal([6, null])
  })

  const histories: readonly [what: string, batches: Buffer[], aborted: AbortedTransaction[], committed: number[]][] = [
    ['records outside any transaction', [data(0), data(1)], [], [0, 1]],
    ['a committed transaction', [data(0, 1), data(1, 1), marker(2, 1, 'commit')], [], [0, 1]],
    [
      'an aborted one, and what its producer commits next',
      [data(0, 1), marker(1, 1, 'abort'), data(2, 1), marker(3, 1, 'commit')],
      [aborted(1, 0)],
      [2],
    ],
    [
      'an aborted one around records of others',
      [data(0, 1), data(1), data(2, 2), data(3, 1), marker(4, 1, 'abort'), marker(5, 2, 'commit')],
      [aborted(1, 0)],
      [1, 2],
    ],
    [
      'a read that begins inside two aborted ones that overlap',
      [data(3, 2), marker(4, 1, 'abort'), data(5, 2), marker(6, 2, 'abort')],
      [aborted(1, 0), aborted(2, 1)],
      [],
    ],
    [
      'a list of aborted ones that is not in order',
      [data(0, 1), data(1, 2), data(2, 1), marker(3, 2, 'abort'), marker(4, 1, 'abort')],
      [aborted(2, 1), aborted(1, 0)],
      [],
    ],
    [
      'a record whose key looks like an abort marker',
      [data(0, 1, '\0\0\0\0'), data(1, 1), marker(2, 1, 'abort')],
      [aborted(1, 0)],
      [],
    ],
    [
      'two aborted ones of one producer',
      [data(0, 1), marker(1, 1, 'abort'), data(2), data(3, 1), marker(4, 1, 'abort')],
      [aborted(1, 0), aborted(1, 3)],
      [2],
    ],
    [
      'two aborted ones of one producer without a record between them',
      [data(0, 1), marker(1, 1, 'abort'), data(2, 1), marker(3, 1, 'abort'), data(4, 1), marker(5, 1, 'commit')],
      [aborted(1, 0), aborted(1, 2)],
      [4],
    ],
    [
      'a committed one between two aborted ones of one producer',
      [data(0, 1), marker(1, 1, 'abort'), data(2, 1), marker(3, 1, 'commit'), data(4, 1), marker(5, 1, 'abort')],
      [aborted(1, 4), aborted(1, 0)],
      [2],
    ],
  ]
  for (const [what, batches, abortedOnes, committed] of histories)
    it(`are read only if committed: ${what}`, () => {
      const found = committedBatches(storedBatches(Buffer.concat(batches)), abortedOnes)
      expect([...found].map(({ firstOffset }) => firstOffset)).to.deep.equal(committed)
    })
})

function recordsOf(batch: RecordBatch) {
  return Array.from({ length: batch.count }, (_, index) => ({
    offset: batch.offsetAt(index),
    key: batch.keyAt(index),
    value: batch.valueAt(index),
    atMs: batch.timestampMsAt(index),
  }))
}
