/**
 * Reads archive files through the interface of the log. So everything that reads a log also reads files. Offsets are
 * those of the log from which the files were exported.
 */
import { join } from 'node:path'
import type { EpochMs } from '../../schemas/units.ts'
import type { SchemaRegistry } from '../codec/schema-codec.ts'
import { subjectOf } from '../codec/schema-codec.ts'
import { logClosed, offsetOutOfRange, partitionId } from '../log/append.ts'
import type { LogOffset, LogReader } from '../log/log.ts'
import type { OpenReader } from '../log/open-log.ts'
import { type PackedBlock, type PackedRecord, packedSizeOf, packRecords, RecordBatch } from '../log/record-batch.ts'
import { onAbort } from '../on-abort.ts'
import { archiveInvalid, type FiledPartition, type Manifest } from './manifest.ts'
import { openParquetFile, type ParquetFileReader, type RowGroup } from './parquet-file.ts'
import { whyFileDiffers } from './verify.ts'

/**
 * Opens the files of these days. Compares the SHA-256 of each file when it is first read. Fails with `archive_invalid`
 * if the files are public, or if the days are not of one log.
 */
export function openArchive(folder: string, manifests: readonly Manifest[]): OpenReader {
  const parts = partsIn(folder, manifests)
  const readers = new Map<string, PartReader>()
  let isClosed = false
  const partsOf = (topic: string, partition: number): readonly FiledPartition[] => {
    if (isClosed) throw logClosed()
    return parts.get(partitionId(topic, partition)) ?? []
  }
  const boundsOf = (topic: string, partition: number) => {
    const own = partsOf(topic, partition)
    return { startOffset: own[0]?.fromOffset ?? 0, endOffset: own.at(-1)?.nextOffset ?? 0 }
  }
  const log: LogReader = {
    async bounds(topic, partition) {
      return boundsOf(topic, partition)
    },
    async read(from, { bytesMax = 1 << 20, signal } = {}) {
      const { topic, partition, offset } = from
      const { endOffset } = boundsOf(topic, partition)
      if (offset > endOffset) throw offsetOutOfRange(topic, offset, endOffset)
      const part = partsOf(topic, partition).find(({ lastOffset }) => lastOffset !== null && lastOffset >= offset)
      if (part === undefined || signal?.aborted) return []
      const id = partitionId(topic, partition)
      const reader = readers.get(id)?.part === part ? (readers.get(id) as PartReader) : await openPart(folder, part)
      readers.set(id, reader)
      return reader.read(from, bytesMax)
    },
    waitForAppend: (_, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve()
        else onAbort(signal, resolve)
      }),
    async close() {
      isClosed = true
      readers.clear()
    },
  }
  return { log, registry: registryOf(manifests), holdFrom: () => {}, close: log.close }
}

/** The files of each partition, in the order of their days. */
function partsIn(folder: string, manifests: readonly Manifest[]): ReadonlyMap<string, readonly FiledPartition[]> {
  const parts = new Map<string, FiledPartition[]>()
  for (const { form, day, files } of manifests) {
    if (form !== 'archive')
      throw archiveInvalid(
        `${folder} has public files, which lack the exact records. Choose a folder of "launch-data export" with the form archive`,
      )
    for (const file of files) {
      const id = partitionId(file.topic, file.partition)
      const own = parts.get(id) ?? []
      const before = own.at(-1)
      if (before !== undefined && before.nextOffset !== file.fromOffset)
        throw archiveInvalid(
          `${file.path} does not continue the day before: it begins at offset ${file.fromOffset} instead of ${before.nextOffset}. Export the days between, or move the files of the day ${day} and later days to another folder`,
        )
      parts.set(id, [...own, file])
    }
  }
  return parts
}

type PartReader = Readonly<{
  part: FiledPartition
  read(from: LogOffset, bytesMax: number): Promise<readonly RecordBatch[]>
}>

/** Keeps the records of one row group in memory. */
async function openPart(folder: string, part: FiledPartition): Promise<PartReader> {
  const fault = await whyFileDiffers(folder, part, new AbortController().signal)
  if (fault !== null) throw archiveInvalid(`${part.path}: ${fault}. Export the day again, or restore the file`)
  const file = await openParquetFile(join(folder, part.path))
  let loaded: Readonly<{ index: number; blocks: readonly PackedBlock[] }> = { index: -1, blocks: [] }
  return {
    part,
    async read({ offset }, bytesMax) {
      const index = groupWith(file, offset)
      if (index !== loaded.index)
        loaded = {
          index,
          blocks: [...blocksIn(await file.readGroup(index, ['offset', 'ts_published', 'key', 'value']))],
        }
      const batches: RecordBatch[] = []
      let bytes = 0
      for (const block of loaded.blocks) {
        if (bytes > 0 && bytes + block.bytes.length > bytesMax) break
        const batch = new RecordBatch(block, offset)
        if (batch.count === 0) continue
        bytes += block.bytes.length
        batches.push(batch)
      }
      return batches
    },
  }
}

/** The first row group with a record at or after the offset. */
function groupWith(file: ParquetFileReader, offset: number): number {
  let index = 0
  while (index < file.groupCount - 1 && file.maxIn(index, 'offset') < offset) index++
  return index
}

const blockBytesMax = 256 * 1024

/** Packs the records. A block has one time of publication, as in the log. */
function* blocksIn({ rowCount, cells }: RowGroup): Generator<PackedBlock> {
  let block = emptyBlock(0)
  for (let index = 0; index < rowCount; index++) {
    const timestampMs = Number((cells.get('ts_published')?.[index] as bigint) / 1_000_000n)
    const value = cells.get('value')?.[index] as Uint8Array
    const record = {
      key: cells.get('key')?.[index] as string,
      value: Buffer.from(value.buffer, value.byteOffset, value.length),
    }
    if (block.records.length > 0 && (block.timestampMs !== timestampMs || block.bytes > blockBytesMax)) {
      yield packed(block)
      block = emptyBlock(timestampMs)
    }
    block.timestampMs = timestampMs
    block.records.push(record)
    block.offsets.push(Number(cells.get('offset')?.[index]))
    block.bytes += packedSizeOf(record)
  }
  if (block.records.length > 0) yield packed(block)
}

type Unpacked = { timestampMs: EpochMs; bytes: number; readonly records: PackedRecord[]; readonly offsets: number[] }

const emptyBlock = (timestampMs: EpochMs): Unpacked => ({ timestampMs, bytes: 0, records: [], offsets: [] })

function packed({ timestampMs, records, offsets }: Unpacked): PackedBlock {
  const firstOffset = offsets[0] ?? 0
  const offsetDeltas = Uint32Array.from(offsets, (offset) => offset - firstOffset)
  return { bytes: packRecords(records), count: records.length, firstOffset, timestampMs, offsetDeltas }
}

/** The schemas of the files. A schema that the files do not have gets an id that no record has. */
function registryOf(manifests: readonly Manifest[]): SchemaRegistry {
  const known = manifests.flatMap(({ schemas }) => schemas)
  let unusedId = 0xffff_ffff
  return {
    async register(subject, schema) {
      const text = JSON.stringify(schema)
      const found = known.find(
        (its) => subjectOf(its.topic, its.schema) === subject && JSON.stringify(its.schema) === text,
      )
      return found?.id ?? unusedId--
    },
    async fetch(id) {
      return known.find((its) => its.id === id)?.schema ?? null
    },
  }
}
