/** The text that a person reads when a program fails. */
import { isOperationError } from '../errors.ts'

const ofDisk: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: make room, then start again',
  EDQUOT: 'the disk quota is used up: make room, then start again',
  EROFS: 'the disk cannot be written: mount it writable, or choose another DATA_DIR, then start again',
  EACCES: 'this user may not write there: give it the right, or choose another DATA_DIR, then start again',
  EPERM: 'this user may not write there: give it the right, or choose another DATA_DIR, then start again',
  EIO: 'the disk fails: check it, then start again',
}

export function describeFailure(error: unknown): string {
  const disk = diskFailureIn(error)
  if (disk !== null) return `launch-data: ${disk}`
  if (!isOperationError(error))
    return `launch-data: internal error: ${error instanceof Error ? error.stack : String(error)}`
  const context = Object.keys(error.context).length > 0 ? ` ${JSON.stringify(error.context)}` : ''
  return `launch-data: ${error.message} (${error.code})${context}`
}

/**
 * Returns the text about a disk failure, or null if the error and its causes contain none. All causes are searched,
 * because a disk failure comes from outside the program and the operator must know it.
 */
function diskFailureIn(error: unknown): string | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const { code, path } = inner as NodeJS.ErrnoException
    if (isOperationError(inner)) continue
    // A failure without a path may concern a port. So only the text of its message shows a full disk.
    const says = path === undefined ? fullDiskIn(inner.message) : ofDisk[String(code)]
    if (says !== undefined) return path === undefined ? `${says} (${inner.message})` : `${path}: ${says}`
  }
  return null
}

/**
 * Returns the text for a full disk, or undefined. LMDB and ClickHouse report a full disk as text, and a failed write to
 * an open file gives no path.
 */
const fullDiskIn = (message: string): string | undefined =>
  /no space left on device|ENOSPC|NOT_ENOUGH_SPACE/i.test(message) ? ofDisk.ENOSPC : undefined
