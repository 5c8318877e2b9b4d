/** Mutants that no test can or need kill, each with the reason. They stand in `accepted.json`, and do not count in a score. */
import listed from './accepted.json' with { type: 'json' }
import type { Mutant } from './mutants.ts'

/** `mutants`: the change by the id. */
export type Accepted = Readonly<{ file: string; reason: string; mutants: Readonly<Record<string, string>> }>

export const accepted: readonly Accepted[] = listed

export const isAccepted = ({ file, id }: Mutant): boolean =>
  accepted.some((entry) => entry.file === file && id in entry.mutants)

/** What the list says of these files and is not there any more. */
export function strayEntries(
  list: readonly Accepted[],
  files: readonly string[],
  mutants: readonly Mutant[],
): readonly string[] {
  const known = new Set(mutants.map(({ file, id }) => `${file} ${id}`))
  return list
    .filter(({ file }) => files.includes(file))
    .flatMap(({ file, mutants: changes }) => Object.entries(changes).map(([id, change]) => ({ file, id, change })))
    .filter(({ file, id }) => !known.has(`${file} ${id}`))
    .map(({ file, id, change }) => `${id} ${file}  ${change}`)
}
