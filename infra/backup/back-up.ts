/**
 * Copies the durable part of a data directory into a new folder, while the service may run. The copy is written under
 * another name and renamed when it is complete. So a folder with the given name is always a whole backup.
 */
import { chmod, copyFile, mkdir, realpath, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { syncFolder } from '../data-dir/sync-folder.ts'
import { refuseUnfinishedRestore } from '../data-dir/unfinished-restore.ts'
import { OperationError } from '../errors.ts'
import { filesIn, hashOf, syncFiles } from './files.ts'
import { interrupted } from './interrupted.ts'
import { type Manifest, writeManifest } from './manifest.ts'

type BackingUp = Readonly<{
  dataDir: string
  /** The folder to create. It may exist if it is empty. */
  folder: string
  /** Copies the log into a folder. Null if the log is on servers. */
  copyLog: ((target: string, signal: AbortSignal) => Promise<void>) | null
  nowMs: () => number
  signal: AbortSignal
}>

/**
 * Fails with `folder_unusable` if the backup cannot be written to the folder. After a failure, no part of the backup
 * is left. If the process is killed, `<folder>.unfinished` is left.
 */
export async function backUp({
  dataDir,
  folder,
  copyLog,
  nowMs,
  signal,
}: BackingUp): Promise<Omit<Manifest, 'format'>> {
  const target = await freePlace(folder, dataDir)
  const draft = `${target}.unfinished`
  await mkdir(draft, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw unusable(
      `${draft} is left from a backup that was interrupted, or another backup is writing to it. If no backup is running, delete it`,
    )
  })
  try {
    const madeAt = new Date(nowMs()).toISOString()
    // The chats are copied before the log. If their read position were ahead of the log, the posts in between would be
    // skipped. The secrets are copied after it, so that none is missing that a record of the log needs.
    await copyFolder('chats', dataDir, draft)
    await copyLog?.(join(draft, 'log'), signal)
    for (const name of ['secrets', 'facilitators']) await copyFolder(name, dataDir, draft)
    const manifest = {
      madeAt,
      log: copyLog === null ? 'servers' : 'embedded',
      files: await sealFiles(draft, signal),
    } as const
    if (manifest.files.length === 0)
      throw new OperationError(
        'nothing_found',
        `${dataDir} has nothing to back up. Set DATA_DIR to the folder of a service that has run`,
      )
    await writeManifest(draft, manifest)
    syncFolder(draft)
    signal.throwIfAborted()
    await rename(draft, target)
    syncFolder(dirname(target))
    return manifest
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw signal.aborted ? interrupted('backup', error) : error
  }
}

/** Returns the absolute path of the new folder, where nothing exists any more. */
async function freePlace(folder: string, dataDir: string): Promise<string> {
  const source = await realpath(dataDir).catch(() => {
    throw new OperationError(
      'log_missing',
      `there is no folder ${dataDir}. Set DATA_DIR to the folder of a service that has run`,
    )
  })
  refuseUnfinishedRestore(source)
  const parent = dirname(resolve(folder))
  const target = join(
    await realpath(parent).catch(() => {
      throw unusable(`there is no folder ${parent}. Create it, or choose another folder for the backup`)
    }),
    basename(resolve(folder)),
  )
  // Each start of the service examines all files in the data directory, so a backup in there would also cost time.
  if (`${target}${sep}`.startsWith(`${source}${sep}`))
    throw unusable(`${folder} is in DATA_DIR. Choose a folder elsewhere, best on another disk`)
  await rmdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return
    throw unusable(
      error.code === 'EBUSY'
        ? `${folder} is a mount point. Choose a new folder in it`
        : `${folder} already exists and is not an empty folder. Choose a new folder for each backup`,
    )
  })
  return target
}

/** Copies the files of a folder. Skips files that are removed meanwhile, such as drafts of other files. */
async function copyFolder(name: string, dataDir: string, draft: string): Promise<void> {
  for (const path of await filesIn(join(dataDir, name))) {
    const target = join(draft, name, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    try {
      await copyFile(join(dataDir, name, path), target)
      await chmod(target, 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

async function sealFiles(draft: string, signal: AbortSignal): Promise<Manifest['files']> {
  const paths = await filesIn(draft)
  const files: Manifest['files'] = []
  for (const path of paths) {
    const file = join(draft, path)
    files.push({ path, bytes: (await stat(file)).size, sha256: await hashOf(file, signal) })
  }
  await syncFiles(draft, paths)
  return files
}

const unusable = (message: string): OperationError => new OperationError('folder_unusable', message)
