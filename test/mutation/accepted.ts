/** Mutants that no test can or need kill, each with the reason. They stand in `accepted.json`, and do not count in a score. */
import accepted from './accepted.json' with { type: 'json' }
import type { Mutant } from './mutants.ts'

type Accepted = Readonly<{ id: string; file: string; change: string; reason: string }>

const list: readonly Accepted[] = accepted

export const acceptedFiles: readonly string[] = [...new Set(list.map(({ file }) => file))]

const keyOf = ({ file, id }: Readonly<{ file: string; id: string }>): string => `${file} ${id}`

const keys: ReadonlySet<string> = new Set(list.map(keyOf))

export const isAccepted = (mutant: Mutant): boolean => keys.has(keyOf(mutant))

/** Entries of these files that name no mutant of them any more. */
export function strayEntries(files: readonly string[], mutants: readonly Mutant[]): readonly string[] {
  const known = new Set(mutants.map(keyOf))
  const stray = list.filter((entry) => files.includes(entry.file) && !known.has(keyOf(entry)))
  return stray.map(({ id, file, change }) => `${id} ${file} ${change}`)
}
