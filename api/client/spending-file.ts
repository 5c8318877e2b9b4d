/** Keeps the spending in a file that only its owner can read. A second file locks it for one process. */
import { randomUUID } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { processStart } from '../../infra/data-dir/process-start.ts'
import { syncFolder } from '../../infra/data-dir/sync-folder.ts'
import { hasCode, OperationError } from '../../infra/errors.ts'
import { type SpendingStore, spendingSchema } from './spending-store.ts'

/** Fails with `data_dir_in_use` if a running process uses the file. That process can also be this one. */
export function openSpendingFile(file: string): SpendingStore {
  const unlock = lock(file)
  return {
    async load() {
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (hasCode(error) && error.code === 'ENOENT') return null
        throw error
      })
      return text === null ? null : parse(text, file)
    },
    async save(spending) {
      const next = `${file}.next`
      const written = await open(next, 'w', 0o600)
      try {
        await written.writeFile(JSON.stringify(spending))
        await written.sync()
      } finally {
        await written.close()
      }
      await rename(next, file)
      syncFolder(dirname(file))
    },
    close: async () => unlock(),
  }
}

function parse(text: string, file: string) {
  try {
    return spendingSchema.parse(JSON.parse(text))
  } catch {
    // The error is ignored, because its text could contain a signed payment.
    throw new OperationError(
      'config_invalid',
      `${file} is not a file of spending. Restore it, or choose another file. A new file starts with nothing spent today`,
    )
  }
}

/**
 * Creates the lock file and returns the function that removes it. The lock of a process that has ended does not
 * count.
 */
function lock(file: string): () => void {
  const path = `${file}.lock`
  const mine = `${path}.${randomUUID()}`
  try {
    // A link is created whole or not at all, so nobody can read an incomplete lock.
    writeFileSync(mine, `${process.pid} ${processStart(process.pid)}`, { mode: 0o600 })
    if (!linked(mine, path)) takeOver(mine, { file, path })
  } finally {
    rmSync(mine, { force: true })
  }
  return () => rmSync(path, { force: true })
}

/** Replaces the lock of a process that has ended. `claim` lets only one process do this at a time. */
function takeOver(mine: string, { file, path }: Readonly<{ file: string; path: string }>): void {
  const claim = `${path}.claim`
  if (isAlive(path) || !linked(mine, claim))
    throw new OperationError(
      'data_dir_in_use',
      `${file} is in use by another process. Stop that process, or choose another file for the spending. If there is none, delete ${claim}`,
    )
  try {
    if (isAlive(path)) throw new OperationError('data_dir_in_use', `another process has just opened ${file}`)
    renameSync(mine, path)
  } finally {
    rmSync(claim, { force: true })
  }
}

function isAlive(path: string): boolean {
  const [pid = '', ...startedAt] = existsSync(path) ? readFileSync(path, 'utf8').split(' ') : []
  return pid !== '' && processStart(Number(pid)) === startedAt.join(' ')
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (hasCode(error) && error.code === 'EEXIST') return false
    throw error
  }
}
