/**
 * Damaged tables of the embedded engine. The process that finds damage writes a note beside the tables and ends. The
 * next start moves the tables away before the engine opens them, and rebuilds them from the log.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationError } from '../errors.ts'

const folderOf = (dataDir: string): string => join(dataDir, 'clickhouse')
const noteOf = (dataDir: string): string => join(dataDir, 'clickhouse-damage')
const asideOf = (dataDir: string): string => join(dataDir, 'clickhouse-set-aside')

/** ClickHouse's codes for a file that is missing or has changed. */
const damageCodes = new Set(['23', '32', '33', '40', '74', '76', '107', '117', '226', '228', '231', '246', '271'])

/**
 * Matches failures that do not mean damage. The files are intact, but the disk or the rights of this user
 * prevent access.
 */
const ofDisk = /No space left on device|Permission denied|Read-only file system|Too many open files/

/**
 * Returns whether a failure shows a damaged file of a table. The message of such a failure names a file or a
 * part. A client's query contains no such name. So no client can make its failure count as damage.
 */
export const isDamage = (code: string | null, message: string): boolean =>
  code !== null && damageCodes.has(code) && /clickhouse\/store\/|\bpart\b/.test(message) && !ofDisk.test(message)

export function tablesDamaged(dataDir: string, reason: string, cause?: unknown): OperationError {
  writeFileSync(noteOf(dataDir), `${reason}\n`, { mode: 0o600 })
  return new OperationError(
    'database_failed',
    `the tables in ${folderOf(dataDir)} are damaged: ${reason}. Start the service again. It then moves these tables away and rebuilds them from the log`,
    { cause, context: { isFatal: true } },
  )
}

/**
 * Moves the tables away if a note of damage exists, and returns a notice for the operator. Null if there is no such
 * note.
 */
export function setAsideDamagedTables(dataDir: string): string | null {
  const [folder, note, aside] = [folderOf(dataDir), noteOf(dataDir), asideOf(dataDir)]
  if (!existsSync(note)) return null
  const reason = readFileSync(note, 'utf8').trim()
  if (existsSync(folder)) {
    rmSync(aside, { recursive: true, force: true })
    renameSync(folder, aside)
  }
  rmSync(note)
  return `the tables were damaged: ${reason}. The service rebuilds them from the log. The damaged tables are in ${aside}, which you can delete`
}
