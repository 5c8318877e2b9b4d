/**
 * Snapshots on the log: the chunks of one, its manifest last, so that a snapshot without a manifest was never finished.
 * Only an economy: whatever is missing, torn or of other code is left out, and the facts are folded from further back.
 */

import { z } from 'zod'
import { crashPoint } from '../../infra/crash-points.ts'
import type { Log, LogWriter, NewRecord } from '../../infra/log/log.ts'
import { reorgBlocksMaxDefault } from '../../schemas/stage.ts'
import { fromChunks, hashOf } from './snapshot-bytes.ts'
import { type SnapshotIndex, scanSnapshots } from './snapshot-index.ts'
import { type StageDependencies, taskName } from './task.ts'
import type { WalkSnapshot } from './walk.ts'

/** The newest of a task that are kept, for the next start. */
const newestKept = 3

const manifestSchema = z.object({
  seq: z.number().int(),
  /** The tick's: a revert from a later block leaves the state as it is. */
  blockNumber: z.number().int(),
  /** Where the task reads on, after the tick, in facts and in derived. */
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
  /** The newest sound snapshot at or before the tick that fits this code, or null. */
  newest(seqMax: number, fits: Fits): Promise<StoredSnapshot | null>
  /** Writes one, then lets go of all but the newest three, and what a revert as deep as may be would go back to. */
  save(manifest: Omit<Manifest, 'chunkCount' | 'sha256'>, chunks: readonly Buffer[]): Promise<void>
  /** Lets go of those before the tick that hold a block from `revertedFrom` on: nothing can go on from them. */
  forgetReverted(revert: Readonly<{ seq: number; revertedFrom: number }>): Promise<void>
  close(): Promise<void>
}>

export async function openSnapshotStore(
  dependencies: Pick<StageDependencies, 'log' | 'logger' | 'reorgBlocksMax' | 'stage'>,
  partition: number,
): Promise<SnapshotStore> {
  const { log, logger, reorgBlocksMax = reorgBlocksMaxDefault } = dependencies
  const task = taskName(dependencies, partition)
  const writer = await log.openWriter(`snapshots-${task}`, { isTransactional: false })
  let index = await scanSnapshots(log, task)
  /** The log does not say at which offsets it appended: where this store's own chunks stand has to be looked up. */
  let isStale = false

  return {
    async newest(seqMax, fits) {
      if (isStale) index = await scanSnapshots(log, task)
      isStale = false
      for (const seq of seqsOf(index, seqMax)) {
        const manifest = parseManifest(index.get(seq)?.manifest ?? null)
        if (manifest !== null && !(await fits(manifest))) continue
        const state = manifest && (await readState(log, index, manifest))
        if (manifest && state) return { manifest, state }
        logger.warn({ task, seq }, 'a snapshot is torn or corrupt; an older one is taken')
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
      const text = Buffer.from(JSON.stringify(manifest))
      crashPoint('snapshot-before-manifest')
      await writer.append([record(`${task}/${seq}/manifest`, text)])
      crashPoint('snapshot-after-manifest')
      index.set(seq, { chunks: chunks.map(() => null), manifest: text })
      isStale = true
      const kept = new Set(keptOf(placesOf(index, seq), manifest.blockNumber - reorgBlocksMax))
      await letGo({ writer, task, index }, (its) => !kept.has(its))
    },
    async forgetReverted({ seq, revertedFrom }) {
      const places = placesOf(index, seq - 1).filter(({ blockNumber }) => blockNumber >= revertedFrom)
      const reverted = new Set(places.map((place) => place.seq))
      await letGo({ writer, task, index }, (its) => reverted.has(its))
    },
    close: () => writer.close(),
  }
}

const record = (key: string, value: Buffer | null): NewRecord => ({ topic: 'snapshots', partition: 0, key, value })

/** Newest first. */
const seqsOf = (index: SnapshotIndex, seqMax: number): number[] =>
  [...index.keys()].filter((seq) => seq <= seqMax && index.get(seq)?.manifest).sort((left, right) => right - left)

async function readState(log: Log, index: SnapshotIndex, manifest: Manifest): Promise<WalkSnapshot | null> {
  const offsets = index.get(manifest.seq)?.chunks ?? []
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
    // Whole, but of a newer runtime than this one: its serialisation cannot be read.
    return null
  }
}

async function readAt(log: Log, offset: number): Promise<Buffer | null> {
  const [batch] = await log.read({ topic: 'snapshots', partition: 0, offset }, { bytesMax: 1 })
  return batch && batch.count > 0 && batch.offsetAt(0) === offset ? batch.valueAt(0) : null
}

function parseManifest(bytes: Buffer | null): Manifest | null {
  if (bytes === null) return null
  try {
    return manifestSchema.parse(JSON.parse(bytes.toString()))
  } catch {
    return null
  }
}

type Place = Pick<Manifest, 'seq' | 'blockNumber'>

/** Of the finished ones at or before the tick, newest first; later ones belong to a derived partition that is no more. */
const placesOf = (index: SnapshotIndex, seqMax: number): Place[] =>
  seqsOf(index, seqMax).flatMap((seq) => {
    const manifest = parseManifest(index.get(seq)?.manifest ?? null)
    return manifest === null ? [] : [{ seq, blockNumber: manifest.blockNumber }]
  })

/**
 * The newest three; the newest before `oldestBlock`, where the deepest revert begins; and the oldest behind it, which will
 * take that one's place when the chain has gone on.
 */
function keptOf(places: readonly Place[], oldestBlock: number): number[] {
  const isOld = ({ blockNumber }: Place) => blockNumber < oldestBlock
  const anchors = [places.find(isOld), places.findLast((place) => !isOld(place))]
  return [...places.slice(0, newestKept), ...anchors].flatMap((place) => (place ? [place.seq] : []))
}

/** The manifest goes first: a snapshot half let go must not look finished. */
async function letGo({ writer, task, index }: Prunable, isUnneeded: (seq: number) => boolean): Promise<void> {
  for (const [seq, { chunks }] of index) {
    if (!isUnneeded(seq)) continue
    await writer.append([record(`${task}/${seq}/manifest`, null)])
    await writer.append(chunks.map((_, at) => record(`${task}/${seq}/${at}`, null)))
    index.delete(seq)
  }
}

type Prunable = Readonly<{ writer: LogWriter; task: string; index: SnapshotIndex }>
