/**
 * Finds the reason why the embedded tables cannot be opened. The engine prints the reason on standard error.
 * Its client reports only that opening failed.
 */
import { constants, readFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { processStart } from '../data-dir/process-start.ts'
import { hasCode, isOperationError, OperationError } from '../errors.ts'
import { isDamage, tablesDamaged } from './damaged-tables.ts'

/**
 * Fails if this user cannot write to the folder of the tables. The error is the system's error, which names
 * the path. Without this check, the engine would fail without a reason, and intact tables would count as
 * damaged.
 */
export const refuseUnwritable = (path: string): Promise<void> => access(path, constants.W_OK)

export function openingFailure(dataDir: string, path: string, cause: unknown): OperationError {
  if (isOperationError(cause)) return cause
  const reason = (cause instanceof Error ? cause.message : String(cause)).slice(0, 300)
  const code = hasCode(cause) ? String(cause.code) : null
  if (/only one active data directory/.test(reason))
    return inUse(
      path,
      'this process has opened the tables of another folder. A process can open only one folder',
      cause,
    )
  if (isDamage(code, reason)) return tablesDamaged(dataDir, `they cannot be opened: ${reason}`, cause)
  if (!/Failed to create connection/.test(reason))
    return new OperationError('database_failed', `the tables in ${path} cannot be opened: ${reason}`, { cause })
  const owner = ownerOf(path)
  return owner === null
    ? tablesDamaged(dataDir, 'they cannot be opened, and the engine printed the reason', cause)
    : inUse(path, `process ${owner} has them open. Stop that process, or choose another DATA_DIR`, cause)
}

const inUse = (path: string, why: string, cause: unknown): OperationError =>
  new OperationError('data_dir_in_use', `the tables in ${path} cannot be opened: ${why}`, { cause })

/**
 * Returns the id of the process that has the tables open. The engine writes this id into the folder. Returns
 * null if the id belongs to this process or to no running process.
 */
function ownerOf(path: string): number | null {
  try {
    const pid = Number(/^PID: (\d+)/.exec(readFileSync(join(path, 'status'), 'utf8'))?.[1])
    return pid !== process.pid && processStart(pid) !== null ? pid : null
  } catch {
    return null
  }
}
