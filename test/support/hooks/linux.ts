/** What this process holds, by the files of Linux. Elsewhere nothing is found. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What the descriptors of this process lead to. */
export const descriptors = (): readonly string[] =>
  namesIn('/proc/self/fd').flatMap((name) => orNone(() => [readlinkSync(`/proc/self/fd/${name}`)], []))

/** The command lines of the children. */
export const children = (): readonly string[] =>
  namesIn('/proc/self/task')
    .flatMap((thread) => textOf(`/proc/self/task/${thread}/children`).split(' '))
    .filter((id) => id !== '')
    .map((id) => textOf(`/proc/${id}/cmdline`).replaceAll('\0', ' ').trimEnd())

const namesIn = (folder: string) => orNone(() => readdirSync(folder), [])
const textOf = (file: string) => orNone(() => readFileSync(file, 'utf8'), '')

/** A descriptor, a thread or a child may end between two looks. */
function orNone<Value>(read: () => Value, none: Value): Value {
  try {
    return read()
  } catch {
    return none
  }
}
