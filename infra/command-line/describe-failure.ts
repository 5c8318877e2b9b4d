/** The text that a person reads when a program fails. */
import { isOperationError } from '../errors.ts'

const ofDisk: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Make room, then start again',
  EDQUOT: 'the disk quota is used up. Make room, then start again',
  EROFS: 'the disk is read-only. Mount it writable or choose another DATA_DIR, then start again',
  EACCES: 'this user may not write there. Give this user write permission or choose another DATA_DIR, then start again',
  EPERM: 'this user may not write there. Give this user write permission or choose another DATA_DIR, then start again',
  EIO: 'the disk could not be read or written. Check the disk, then start again',
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
 * Returns the text about a disk failure in the error or in one of its causes, or null. The operator must see a disk
 * failure even if other errors wrap it.
 */
function diskFailureIn(error: unknown): string | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const { code, path: source, dest } = inner as NodeJS.ErrnoException & Readonly<{ dest?: string }>
    // A failed copy has two paths. If the disk is full, it is the disk of the second path.
    const path = code === 'ENOSPC' ? (dest ?? source) : source
    if (isOperationError(inner)) continue
    // An error without a path may concern a network port instead of a file. Its code then does not prove a
    // disk failure, so only its message is checked.
    const says = path === undefined ? fullDiskIn(inner.message) : ofDisk[String(code)]
    if (says !== undefined) return path === undefined ? `${says} (${inner.message})` : `${path}: ${says}`
  }
  return null
}

/**
 * Returns the text for a full disk, or undefined. LMDB and ClickHouse report a full disk only in the message. If a write to
 * an open file fails, the error has no path.
 */
const fullDiskIn = (message: string): string | undefined =>
  /no space left on device|ENOSPC|NOT_ENOUGH_SPACE/i.test(message) ? ofDisk.ENOSPC : undefined
