/** Builds an index of one task's snapshots in the snapshots topic. */
import type { Log } from '../../../infra/log/log.ts'
import { readAll } from '../../../infra/log/read-back.ts'
import type { RecordBatch } from '../../../infra/log/record-batch.ts'

type SnapshotEntry = Readonly<{
  /** The offset of each chunk in the snapshots topic. Null: the chunk is missing. */
  chunks: readonly (number | null)[]
  /** The manifest is the record that completes a snapshot. Null if the snapshot was never finished. */
  manifest: Buffer | null
}>

/** The snapshots of a task, by the `seq` of the tick after which each snapshot was taken. */
export type SnapshotIndex = Map<number, SnapshotEntry>

type Found = { chunks: (number | null)[]; manifest: Buffer | null }

export async function scanSnapshots(log: Log, task: string): Promise<SnapshotIndex> {
  const found = new Map<number, Found>()
  for await (const batch of readAll(log, { topic: 'snapshots', partition: 0 })) collect(found, task, batch)
  return found
}

function collect(found: Map<number, Found>, task: string, batch: RecordBatch): void {
  for (let at = 0; at < batch.count; at++) {
    const [owner, seqText, part] = batch.keyAt(at).split('/')
    if (owner !== task || part === undefined) continue
    const seq = Number(seqText)
    const entry = found.get(seq) ?? { chunks: [], manifest: null }
    found.set(seq, entry)
    const value = batch.valueAt(at)
    if (part === 'manifest') entry.manifest = value && Buffer.from(value)
    else entry.chunks[Number(part)] = value === null ? null : batch.offsetAt(at)
    if (entry.manifest === null && entry.chunks.every((offset) => offset === null)) found.delete(seq)
  }
}
