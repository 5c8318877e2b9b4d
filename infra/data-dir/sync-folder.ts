import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * Writes the entries of a folder to disk. Otherwise, a power cut could remove a new file, because the entry
 * of the file is not on disk. Windows has no such call.
 */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
