/**
 * Marks a data directory while a backup is restored into it. If the restore is killed, the mark stays. The service
 * then does not start with half of the files, because a log without its payments would sell answers again.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationError } from '../errors.ts'
import { syncFolder } from './sync-folder.ts'

const fileIn = (dataDir: string): string => join(dataDir, 'unfinished-restore')

/** Fails if the directory already has the mark. */
export function markRestore(dataDir: string): void {
  writeFileSync(fileIn(dataDir), '', { flag: 'wx', mode: 0o600 })
  syncFolder(dataDir)
}

export function unmarkRestore(dataDir: string): void {
  rmSync(fileIn(dataDir))
  syncFolder(dataDir)
}

/** Fails with `restore_unfinished` if a restore into this directory has begun and not finished. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (existsSync(fileIn(dataDir)))
    throw new OperationError(
      'restore_unfinished',
      `a restore into ${dataDir} has not finished. If no restore is running, empty the folder and run "launch-data restore" again`,
    )
}
