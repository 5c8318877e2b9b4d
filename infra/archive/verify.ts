/** Checks the files of an archive against their manifests. */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { filesIn, hashOf } from '../backup/files.ts'
import { isOperationError } from '../errors.ts'
import { archiveInvalid, daysIn, type FiledPartition, type Manifest, manifestFolder, readManifest } from './manifest.ts'
import { canonicalRow, openParquetFile, type Row, rowsOf } from './parquet-file.ts'

/** `faults` lists each wrong file with the reason, as `file: reason`. */
export type Verified = Readonly<{ manifests: readonly Manifest[]; faults: readonly string[] }>

/** Checks every file of the folder. Fails with `archive_invalid` only if the folder has no manifest. */
export async function verifyArchive(folder: string, signal: AbortSignal): Promise<Verified> {
  const { manifests, faults } = await manifestsIn(folder)
  const found = [...faults]
  for (const { files } of manifests)
    for (const file of files) {
      const fault = (await whyFileDiffers(folder, file, signal)) ?? (await whyRowsDiffer(folder, file, signal))
      if (fault !== null) found.push(`${file.path}: ${fault}`)
    }
  const listed = new Set(manifests.flatMap(({ files }) => files.map(({ path }) => path)))
  for (const path of await filesIn(folder))
    if (path.startsWith('topic=') && !listed.has(path)) found.push(`${path}: no manifest lists it`)
  return { manifests, faults: found }
}

/** Reads all manifests. Fails with `archive_invalid` if there are none. */
export async function manifestsIn(folder: string): Promise<Verified> {
  const days = await daysIn(folder)
  if (days.length === 0)
    throw archiveInvalid(
      `${folder} has no files of a finished export, because there is no manifest in ${join(folder, manifestFolder)}. Choose a folder of "launch-data export"`,
    )
  const manifests: Manifest[] = []
  const faults: string[] = []
  for (const day of days)
    try {
      manifests.push(await readManifest(folder, day))
    } catch (error) {
      if (!isOperationError(error, 'archive_invalid')) throw error
      faults.push(error.message)
    }
  return { manifests, faults }
}

/** The reason why the file differs from the one that was exported. Null if it is the same. */
export async function whyFileDiffers(
  folder: string,
  { path, bytes, fileSha256 }: FiledPartition,
  signal: AbortSignal,
): Promise<string | null> {
  const place = join(folder, path)
  const found = await stat(place).catch(() => null)
  if (found === null || !found.isFile()) return 'it is missing'
  if (found.size !== bytes) return `it has ${found.size} bytes, but the manifest says ${bytes}`
  return (await hashOf(place, signal)) === fileSha256
    ? null
    : 'it is damaged, because its SHA-256 differs from the manifest'
}

/** The reason why the rows of an undamaged file differ from the manifest. Null if they are as the manifest says. */
async function whyRowsDiffer(folder: string, file: FiledPartition, signal: AbortSignal): Promise<string | null> {
  const parquet = await openParquetFile(join(folder, file.path))
  if (parquet.rowCount !== file.rows) return `it has ${parquet.rowCount} rows, but the manifest says ${file.rows}`
  const hash = createHash('sha256')
  let [first, last]: [Row | null, Row | null] = [null, null]
  for (let index = 0; index < parquet.groupCount; index++) {
    signal.throwIfAborted()
    for (const row of rowsOf(await parquet.readGroup(index), parquet.columns)) {
      hash.update(`${canonicalRow(row)}\n`)
      first ??= row
      last = row
    }
  }
  if (hash.digest('hex') !== file.rowsSha256) return 'the SHA-256 of its rows differs from the manifest'
  const ends = [first, last].map((row) => (row === null ? null : Number((row as Row).offset)))
  return ends[0] === file.firstOffset && ends[1] === file.lastOffset
    ? null
    : `its offsets are ${ends.join(' to ')}, but the manifest says ${file.firstOffset} to ${file.lastOffset}`
}
