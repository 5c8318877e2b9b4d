/** Remembers which tests kill the mutants of a file: others of the same file are likely to fail in them too. */
export type Killers = Readonly<{
  add: (file: string, killer: Readonly<{ file: string; title: string }>) => void
  /** `title`: null is any test of the file. */
  count: (file: string, testFile: string, title: string | null) => number
}>

export function countKillers(): Killers {
  const counts = new Map<string, number>()
  const keyOf = (...parts: readonly (string | null)[]): string => JSON.stringify(parts)
  return {
    add(file, killer) {
      for (const key of [keyOf(file, killer.file, killer.title), keyOf(file, killer.file, null)])
        counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    count: (file, testFile, title) => counts.get(keyOf(file, testFile, title)) ?? 0,
  }
}
