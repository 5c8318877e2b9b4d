/** What the tool and the process that runs tests say to each other. */

/** Tests of one file. `titles`: in this order in each suite; null is all of them. `limitMs`: for each test; null is Mocha's own. */
export type TestRun = Readonly<{ file: string; titles: readonly string[] | null; limitMs: number | null }>

export type Order =
  /** Loads files of the program, then runs each test file, and counts which mutants are met where. */
  | Readonly<{ kind: 'cover'; modules: readonly string[]; tests: readonly string[] }>
  /** Runs tests with one mutant switched on until one fails. */
  | Readonly<{ kind: 'try'; number: string; runs: readonly TestRun[]; hitsMax: number }>

/** How often each mutant is met, by its number. */
export type Hits = Readonly<Record<string, number>>

export type Covered = Readonly<{
  kind: 'covered'
  /** While the program's files are loaded: the mutant must be on before. */
  loading: Hits
  files: readonly Readonly<{
    file: string
    durationMs: number
    failures: readonly string[]
    /** In hooks, and while the test file is loaded: each of its tests may depend on it. */
    around: Hits
    tests: readonly Readonly<{ title: string; durationMs: number; hits: Hits }>[]
  }>[]
}>

export type Tried = Readonly<{
  kind: 'tried'
  /** The test that failed. Null: all passed. */
  killedBy: Readonly<{ file: string; title: string }> | null
  hits: number
  /** The same tests fail with no mutant at all now: an earlier mutant left something behind. */
  isSpoiled: boolean
}>

export type Answer = Covered | Tried
