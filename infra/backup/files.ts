/** Reads and syncs the files of a backup. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncFolder } from '../data-dir/sync-folder.ts'

/** Returns the paths of all files in the folder, relative to it and with slashes. None if the folder does not exist. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .sort()
}

export async function hashOf(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash, { signal })
  return hash.digest('hex')
}

/** Writes the files and the entries of their folders to disk. `paths` are relative to `folder`. */
export async function syncFiles(folder: string, paths: readonly string[]): Promise<void> {
  const folders = new Set([folder])
  for (const path of paths) {
    const file = await open(join(folder, path), 'r+')
    await file.sync().finally(() => file.close())
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) folders.add(join(folder, parent))
  }
  for (const each of folders) syncFolder(each)
}
