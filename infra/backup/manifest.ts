/** The manifest of a backup. It is written last and lists all files, so a folder without it is no backup. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { OperationError } from '../errors.ts'

/**
 * The folders of a data directory that are backed up. The rest can be computed again (the tables), or belongs to
 * running processes (locks, entries of readers).
 */
export const backedUpFolders = ['chats', 'log', 'secrets', 'facilitators'] as const

/** Raise this number if an earlier version of the service would restore the files wrongly. */
const format = 1

/** A path inside of one of the folders, with slashes, that leads to no other place. */
const path = z.string().regex(new RegExp(`^(?:${backedUpFolders.join('|')})(?:/(?!\\.{1,2}(?:/|$))[^/\\\\]+)+$`))

const manifestSchema = z.strictObject({
  format: z.literal(format),
  /** The backup has at least everything that was in the log at this time. */
  madeAt: z.iso.datetime(),
  /** `servers`: the log is on Kafka, and the backup does not have it. */
  log: z.enum(['embedded', 'servers']),
  files: z
    .array(z.strictObject({ path, bytes: z.number().int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }))
    .min(1),
})

export type Manifest = Readonly<z.infer<typeof manifestSchema>>
export type BackedUpFile = Manifest['files'][number]

const fileIn = (folder: string): string => join(folder, 'manifest.json')

export const writeManifest = (folder: string, manifest: Omit<Manifest, 'format'>): Promise<void> =>
  writeFile(fileIn(folder), `${JSON.stringify({ format, ...manifest }, null, 1)}\n`, { mode: 0o600, flush: true })

/** Fails with `backup_invalid` if the folder has no manifest, or one that this version cannot read. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(fileIn(folder), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause
    throw backupInvalid(
      `${folder} is no finished backup, because it has no manifest.json. Choose a folder that "launch-data backup" finished`,
    )
  })
  const content = jsonOf(text)
  const manifest = manifestSchema.safeParse(content)
  if (manifest.success) return manifest.data
  const written = z.object({ format: z.number() }).safeParse(content).data?.format ?? format
  throw backupInvalid(
    written > format
      ? `a later version of the service wrote the backup ${folder} (format ${written}). Restore it with that version`
      : `${fileIn(folder)} is damaged. Choose another backup`,
  )
}

export const backupInvalid = (message: string): OperationError => new OperationError('backup_invalid', message)

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const bytesOf = ({ files }: Pick<Manifest, 'files'>): number => files.reduce((sum, { bytes }) => sum + bytes, 0)
