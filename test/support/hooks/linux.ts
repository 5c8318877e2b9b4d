/**
 * Lists the descriptors and child processes of this process, from the files of Linux. On other systems the
 * lists are empty.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Returns the targets of the descriptors of this process. */
export const descriptors = (): readonly string[] =>
  namesIn('/proc/self/fd').flatMap((name) => orNone(() => [readlinkSync(`/proc/self/fd/${name}`)], []))

/** Returns the command lines of the child processes. */
export const children = (): readonly string[] =>
  namesIn('/proc/self/task')
    .flatMap((thread) => textOf(`/proc/self/task/${thread}/children`).split(' '))
    .filter((id) => id !== '')
    .map((id) => textOf(`/proc/${id}/cmdline`).replaceAll('\0', ' ').trimEnd())

const namesIn = (folder: string) => orNone(() => readdirSync(folder), [])
const textOf = (file: string) => orNone(() => readFileSync(file, 'utf8'), '')

/**
 * Reads a value. A descriptor, a thread or a child process may end before it is read, and then `none` is
 * returned.
 */
function orNone<Value>(read: () => Value, none: Value): Value {
  try {
    return read()
  } catch {
    return none
  }
}
