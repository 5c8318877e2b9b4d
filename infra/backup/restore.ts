/** Checks a backup, and copies it into an empty data directory. */
import { chmod, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { markRestore, refuseUnfinishedRestore, unmarkRestore } from '../data-dir/unfinished-restore.ts'
import { OperationError } from '../errors.ts'
import { hashOf, syncFiles } from './files.ts'
import { interrupted } from './interrupted.ts'
import { type BackedUpFile, backedUpFolders, backupInvalid, type Manifest, readManifest } from './manifest.ts'

/** Fails with `backup_invalid` if a file of the backup is missing or has changed. */
export async function checkBackup(folder: string, signal: AbortSignal): Promise<Manifest> {
  const manifest = await readManifest(folder)
  for (const file of manifest.files) await checkFile(folder, file, signal)
  return manifest
}

type Restoring = Readonly<{ folder: string; dataDir: string; signal: AbortSignal }>

/**
 * Copies the files of the backup, and checks the copies. Fails with `folder_unusable` if the data directory is not empty.
 * After a failure, the data directory is empty again. If the process is killed, the service refuses to start with the
 * directory.
 */
export async function restoreBackup({ folder, dataDir, signal }: Restoring): Promise<Manifest> {
  const manifest = await readManifest(folder)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await refuseUsed(dataDir)
  markRestore(dataDir)
  try {
    for (const file of manifest.files) await restoreFile(file, { folder, dataDir, signal })
    await syncFiles(
      dataDir,
      manifest.files.map(({ path }) => path),
    )
    signal.throwIfAborted()
  } catch (error) {
    for (const name of backedUpFolders) await rm(join(dataDir, name), { recursive: true, force: true })
    unmarkRestore(dataDir)
    throw signal.aborted ? interrupted('restore', error) : error
  }
  unmarkRestore(dataDir)
  return manifest
}

async function refuseUsed(dataDir: string): Promise<void> {
  refuseUnfinishedRestore(dataDir)
  if ((await readdir(dataDir)).length > 0)
    throw new OperationError(
      'folder_unusable',
      `${dataDir} is not empty. Set DATA_DIR to a new folder, or move the files away. Keep them as long as buyers may repeat payments`,
    )
}

async function restoreFile(file: BackedUpFile, { folder, dataDir, signal }: Restoring): Promise<void> {
  const target = join(dataDir, file.path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await copyFile(join(folder, file.path), target).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? missing(folder, file) : error
  })
  await chmod(target, 0o600)
  await checkFile(dataDir, file, signal)
}

/** `folder` is the backup, or the data directory with the copy of the file. */
async function checkFile(folder: string, file: BackedUpFile, signal: AbortSignal): Promise<void> {
  const place = join(folder, file.path)
  const found = await stat(place).catch(() => null)
  if (found === null) throw missing(folder, file)
  if (found.size !== file.bytes || (await hashOf(place, signal)) !== file.sha256)
    throw backupInvalid(
      `${file.path} of the backup is damaged, because its SHA-256 differs from the manifest. Choose another backup`,
    )
}

const missing = (folder: string, { path }: BackedUpFile): OperationError =>
  backupInvalid(`${path} is missing in the backup ${folder}. Choose another backup`)
