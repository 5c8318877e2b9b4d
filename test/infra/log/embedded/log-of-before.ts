/** Makes a directory in the old format of the embedded log, in which blocks and rows have no checksums. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadLmdb } from '../../../../infra/data-dir/lmdb.ts'
import type { UnplacedBlock } from '../../../../infra/log/pack-blocks.ts'

/** The layout: u32 count, f64 timestamp, a u8 that is 1 if u32 offset deltas follow, packed records. */
export function encodeAsBefore({ bytes, count, timestampMs, offsetDeltas }: UnplacedBlock): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(count, 0)
  header.writeDoubleBE(timestampMs, 4)
  header.writeUInt8(offsetDeltas ? 1 : 0, 12)
  const deltas = [...(offsetDeltas ?? [])].map((delta) => {
    const row = Buffer.alloc(4)
    row.writeUInt32BE(delta)
    return row
  })
  return Buffer.concat([header, ...deltas, bytes])
}

/**
 * Removes the mark and the checksum, eight bytes in all, from all values. Also removes the rows that only
 * checksums need.
 */
export async function makeOfBefore(dataDir: string): Promise<void> {
  const open = await loadLmdb(dataDir)
  for (const folder of environmentsIn(dataDir)) {
    const environment = open(folder)
    environment.transactionSync(() => {
      for (const { key, value } of [...environment.getRange({})]) {
        const [kind] = Array.isArray(key) ? key : [key]
        if (['format', 'checked', 'gap'].includes(String(kind))) environment.removeSync(key)
        else environment.putSync(key, Buffer.from(value.subarray(8)))
      }
    })
    await environment.close()
  }
}

/** The folders of all environments of the log. */
export function environmentsIn(dataDir: string): readonly string[] {
  const folders = readdirSync(join(dataDir, 'log'), { recursive: true }).map(String)
  return folders.map((name) => join(dataDir, 'log', name)).filter((folder) => existsSync(join(folder, 'data.mdb')))
}
