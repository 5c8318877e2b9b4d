/**
 * Stores snapshots of the state of a task in the log: first the chunks, then the manifest. A snapshot without
 * a manifest is unfinished. Without a usable snapshot, processing begins earlier in the log and takes longer,
 * but gives the same results.
 */

import { z } from 'zod'
import { crashPoint } from '../../../infra/crash-points.ts'
import type { Log, LogWriter, NewRecord } from '../../../infra/log/log.ts'
import { reorgBlocksMaxDefault } from '../../../schemas/stage.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { type StageDependencies, taskName } from '../task.ts'
import type { WalkSnapshot } from '../token-entry.ts'
import { fromChunks, hashOf } from './snapshot-bytes.ts'
import { createSnapshotIndex, type SnapshotIndex } from './snapshot-index.ts'

/** This number of newest snapshots of each task is always kept for the next start of the task. */
const newestKept = 3

const manifestSchema = z.object({
  seq: z.number().int(),
  /**
   * The block number of the tick after which the snapshot was taken. A reorg that begins at a later block
   * does not affect the stored state.
   */
  blockNumber: z.number().int(),
  /**
   * The offsets directly after that tick, in the fact partition and the derived partition. The task continues
   * at these offsets.
   */
  factsOffset: z.number().int(),
  derivedOffset: z.number().int(),
  rulesVersion: z.string(),
  stateVersion: z.string(),
  chunkCount: z.number().int(),
  sha256: z.string(),
})
type Manifest = z.infer<typeof manifestSchema>

type StoredSnapshot = Readonly<{ manifest: Manifest; state: WalkSnapshot }>

type Fits = (manifest: Manifest) => boolean | Promise<boolean>

export type SnapshotStore = Readonly<{
  /** Returns the newest complete snapshot that is not later than tick `seqMax` and that `fits` accepts. Null: there is none. */
  newest(seqMax: number, fits: Fits): Promise<StoredSnapshot | null>
  /**
   * Writes a snapshot, then drops old snapshots. The newest three snapshots are kept, and also the snapshots
   * that the deepest supported reorg would need. Then writes the index in the background.
   */
  save(manifest: Omit<Manifest, 'chunkCount' | 'sha256'>, chunks: readonly Buffer[]): Promise<void>
  /**
   * Drops the snapshots that were taken before tick `seq` and contain blocks of the abandoned branch. This
   * branch begins at block `revertedFrom`.
   */
  dropReorged(reorg: Readonly<{ seq: number; revertedFrom: number }>): Promise<void>
  /** Waits until the index is written. */
  close(): Promise<void>
}>

export async function openSnapshotStore(
  dependencies: Pick<StageDependencies, 'log' | 'logger' | 'reorgBlocksMax' | 'stage' | 'snapshotIndex'>,
  partition: number,
): Promise<SnapshotStore> {
  const { log, logger, reorgBlocksMax = reorgBlocksMaxDefault } = dependencies
  const { snapshotIndex: index = createSnapshotIndex(log) } = dependencies
  const task = taskName(dependencies, partition)
  const writer = await log.openWriter(`snapshots-${task}`, { isTransactional: false })
  await index.update()
  const stored = { writer, task, index }
  /** The writing of the index after a save. */
  let indexing: Promise<void> = Promise.resolve()

  /** A failure has no effect on results. Only the next start reads more of the topic. */
  const writeIndex = async () => {
    try {
      await index.update()
      const indexRecord = index.toRecord()
      if (indexRecord) await writer.append([record(indexRecord.key, indexRecord.value)])
    } catch (error) {
      logger.warn(
        { task, err: error },
        'the index of the snapshots could not be written. The next start may take longer',
      )
    }
  }

  return {
    async newest(seqMax, fits) {
      await indexing
      for (const seq of seqsOf(stored, seqMax)) {
        const manifest = manifestOf(stored, seq)
        if (manifest !== null && !(await fits(manifest))) continue
        const state = manifest && (await readState(log, stored, manifest))
        if (manifest && state) return { manifest, state }
        logger.warn({ task, seq }, 'a snapshot is damaged. The stage uses an older snapshot')
      }
      return null
    },
    async save(fields, chunks) {
      const manifest: Manifest = { ...fields, chunkCount: chunks.length, sha256: hashOf(chunks) }
      const { seq } = manifest
      for (const [at, chunk] of chunks.entries()) {
        await writer.append([record(`${task}/${seq}/${at}`, chunk)])
        crashPoint('snapshot-chunk-written')
      }
      const text = JSON.stringify(manifest)
      crashPoint('snapshot-before-manifest')
      await writer.append([record(`${task}/${seq}/manifest`, Buffer.from(text))])
      crashPoint('snapshot-after-manifest')
      index.add(task, { seq, manifest: text, chunkCount: chunks.length })
      const kept = new Set(keptOf(pointsOf(stored, seq), manifest.blockNumber - reorgBlocksMax))
      await drop(stored, (its) => !kept.has(its))
      indexing = indexing.then(writeIndex)
    },
    async dropReorged({ seq, revertedFrom }) {
      const points = pointsOf(stored, seq - 1).filter(({ blockNumber }) => blockNumber >= revertedFrom)
      const reorged = new Set(points.map((point) => point.seq))
      await drop(stored, (its) => reorged.has(its))
    },
    async close() {
      await indexing
      await writer.close()
    },
  }
}

const record = (key: string, value: Buffer | null): NewRecord => ({ topic: 'snapshots', partition: 0, key, value })

/** Returns the tick numbers of the finished snapshots up to `seqMax`, newest first. */
const seqsOf = ({ index, task }: Stored, seqMax: number): number[] =>
  [...index.of(task)]
    .filter(([seq, { manifest }]) => seq <= seqMax && manifest !== null)
    .map(([seq]) => seq)
    .sort((left, right) => right - left)

async function readState(log: Log, { index, task }: Stored, manifest: Manifest): Promise<WalkSnapshot | null> {
  const offsets = index.of(task).get(manifest.seq)?.chunks ?? []
  const chunks: Buffer[] = []
  for (const offset of offsets.slice(0, manifest.chunkCount)) {
    const chunk = offset === null || offset === undefined ? null : await readAt(log, offset)
    if (chunk === null) return null
    chunks.push(chunk)
  }
  if (chunks.length !== manifest.chunkCount || hashOf(chunks) !== manifest.sha256) return null
  try {
    return fromChunks(chunks)
  } catch {
    // The bytes are complete, but in a format of a newer Node version that this version cannot read.
    return null
  }
}

async function readAt(log: Log, offset: number): Promise<Buffer | null> {
  const [batch] = await log.read({ topic: 'snapshots', partition: 0, offset }, { bytesMax: 1 })
  return batch && batch.count > 0 && batch.offsetAt(0) === offset ? batch.valueAt(0) : null
}

function manifestOf({ index, task }: Stored, seq: number): Manifest | null {
  try {
    return manifestSchema.parse(JSON.parse(index.of(task).get(seq)?.manifest ?? ''))
  } catch {
    return null
  }
}

type Point = Pick<Manifest, 'seq' | 'blockNumber'>

/**
 * Returns the finished snapshots that are not later than tick `seqMax`, newest first. A later snapshot was
 * taken before the derived partition was deleted, so it must not be used.
 */
const pointsOf = (stored: Stored, seqMax: number): Point[] =>
  seqsOf(stored, seqMax).flatMap((seq) => {
    const manifest = manifestOf(stored, seq)
    return manifest === null ? [] : [{ seq, blockNumber: manifest.blockNumber }]
  })

/**
 * Returns the snapshots to keep: the newest three and two more. The deepest supported reorg begins at
 * `oldestBlock`, and needs the newest snapshot before that block. As the chain grows, `oldestBlock` rises.
 * The oldest snapshot from that block on is needed next.
 */
function keptOf(points: readonly Point[], oldestBlock: BlockNumber): number[] {
  const isOld = ({ blockNumber }: Point) => blockNumber < oldestBlock
  const anchors = [points.find(isOld), points.findLast((point) => !isOld(point))]
  return [...points.slice(0, newestKept), ...anchors].flatMap((point) => (point ? [point.seq] : []))
}

/**
 * Deletes the snapshots for which `isUnneeded` is true. The manifest is deleted first, so that a partly
 * deleted snapshot never looks finished.
 */
async function drop({ writer, task, index }: Stored, isUnneeded: (seq: number) => boolean): Promise<void> {
  for (const [seq, { chunks }] of [...index.of(task)]) {
    if (!isUnneeded(seq)) continue
    await writer.append([record(`${task}/${seq}/manifest`, null)])
    // `chunks` may lack elements. `Array.from` visits the missing elements too, but `map` would skip them.
    await writer.append(Array.from(chunks, (_, at) => record(`${task}/${seq}/${at}`, null)))
    index.remove(task, seq)
  }
}

type Stored = Readonly<{ writer: LogWriter; task: string; index: SnapshotIndex }>
