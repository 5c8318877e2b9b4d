/**
 * Damaged tables of the embedded engine. They are built from the log, so they can be rebuilt: a note of the damage is
 * written beside them, the process ends, and the next start moves them away before the engine opens them.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationError } from '../errors.ts'

const folderOf = (dataDir: string): string => join(dataDir, 'clickhouse')
const noteOf = (dataDir: string): string => join(dataDir, 'clickhouse-damage')
const asideOf = (dataDir: string): string => join(dataDir, 'clickhouse-set-aside')

/** ClickHouse's codes for a file that is missing or has changed. */
const damageCodes = new Set(['23', '32', '33', '40', '74', '76', '107', '117', '226', '228', '231', '246', '271'])

/** The file is intact, but the disk or this user's rights prevent access. */
const ofDisk = /No space left on device|Permission denied|Read-only file system|Too many open files/

/** Requests of clients never name a file of a table, so no request of a client counts as damage. */
export const isDamage = (code: string | null, message: string): boolean =>
  code !== null && damageCodes.has(code) && /clickhouse\/store\/|\bpart\b/.test(message) && !ofDisk.test(message)

export function tablesDamaged(dataDir: string, reason: string, cause?: unknown): OperationError {
  writeFileSync(noteOf(dataDir), `${reason}\n`, { mode: 0o600 })
  return new OperationError(
    'database_failed',
    `the tables in ${folderOf(dataDir)} are damaged: ${reason}. Start the service again: it moves them away and rebuilds them from the log`,
    { cause, context: { isFatal: true } },
  )
}

/** Moves tables away that were found damaged. Null if there were none. */
export function setAsideDamagedTables(dataDir: string): string | null {
  const [folder, note, aside] = [folderOf(dataDir), noteOf(dataDir), asideOf(dataDir)]
  if (!existsSync(note)) return null
  const reason = readFileSync(note, 'utf8').trim()
  if (existsSync(folder)) {
    rmSync(aside, { recursive: true, force: true })
    renameSync(folder, aside)
  }
  rmSync(note)
  return `the tables were damaged (${reason}) and are rebuilt from the log; the old ones are in ${aside} and may be deleted`
}
