/**
 * The manifest of a day. It is written last and lists all files of the day, so files of a day without a manifest are
 * left from an export that did not finish.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AvroRecord } from '../../schemas/avro.ts'
import { hasCode, OperationError } from '../errors.ts'
import { forms } from './columns.ts'
import { dayPattern } from './days.ts'

/** The folder of the manifests. Readers of Parquet folders skip names that begin with an underscore. */
export const manifestFolder = '_manifests'

/** Raise this number if an earlier version of the service would read the files wrongly. */
const format = 1

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.number().int().min(0)
const path = z.string().regex(/^topic=[a-z0-9.-]+\/day=\d{4}-\d{2}-\d{2}\/part-\d+\.parquet$/)

const named = z.looseObject({ name: z.string(), namespace: z.string(), fields: z.array(z.unknown()) })
/** The schema as it was written. A registry compares the texts of schemas, so the order of the keys must stay. */
const schema = z.custom<AvroRecord>((its) => named.safeParse(its).success)

const filed = z.strictObject({
  path,
  topic: z.string(),
  partition: count,
  rows: count,
  /** The offset after the last tick of the day before. */
  fromOffset: count,
  /** The offset after the last tick of the day. */
  nextOffset: count,
  /** Null if the partition has no record of this day. */
  firstOffset: count.nullable(),
  lastOffset: count.nullable(),
  firstKnownAt: z.number().nullable(),
  lastKnownAt: z.number().nullable(),
  bytes: count,
  /** The sum of the lengths of keys and values in the log. */
  logBytes: count,
  fileSha256: sha256,
  /** Over the canonical text of each row and a line break. */
  rowsSha256: sha256,
})

const body = z.strictObject({
  format: z.literal(format),
  form: z.enum(forms),
  day: z.string().regex(dayPattern),
  madeAt: z.iso.datetime(),
  stages: z.array(
    z.strictObject({
      stage: z.string(),
      rulesVersions: z.array(z.string()),
      /** The times of more than a minute in which no new block became known. */
      gaps: z.array(z.strictObject({ from: z.number(), to: z.number() })),
    }),
  ),
  /** The schemas of the records. Each value in an archive begins with a zero byte and the id of its schema. */
  schemas: z.array(
    z.strictObject({
      topic: z.string(),
      id: count,
      schema,
    }),
  ),
  files: z.array(filed),
})

export type Manifest = Readonly<z.infer<typeof body>>
export type FiledPartition = Readonly<z.infer<typeof filed>>

const nameOf = (day: string): string => `${manifestFolder}/${day}.json`

export async function writeManifest(file: string, content: Omit<Manifest, 'format'>): Promise<void> {
  const manifest = { format, ...content }
  const text = JSON.stringify({ ...manifest, sha256: hashOf(manifest) }, null, 1)
  await writeFile(file, `${text}\n`, { mode: 0o600, flush: true })
}

const hashOf = (manifest: object): string => createHash('sha256').update(JSON.stringify(manifest)).digest('hex')

/** The days that have a manifest, in order. None if the folder has no manifests. */
export async function daysIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, manifestFolder)).catch((error: unknown) => {
    if (hasCode(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw error
  })
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort()
}

/** Fails with `archive_invalid` if the manifest of the day is damaged, or if a later version wrote it. */
export async function readManifest(folder: string, day: string): Promise<Manifest> {
  const name = nameOf(day)
  const content = jsonOf(await readFile(join(folder, name), 'utf8'))
  const written = z.object({ format: z.number() }).safeParse(content).data?.format ?? format
  if (written > format)
    throw archiveInvalid(`${name}: a later version of the service wrote it (format ${written}). Use that version`)
  const { sha256: sum, ...rest } = z.looseObject({ sha256 }).safeParse(content).data ?? { sha256: '' }
  const manifest = body.safeParse(rest)
  if (!manifest.success || sum !== hashOf(rest) || manifest.data.day !== day)
    throw archiveInvalid(`${name}: it is damaged, because its content differs from its SHA-256`)
  return manifest.data
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const archiveInvalid = (message: string): OperationError => new OperationError('archive_invalid', message)
