/** Which tests are tried on a mutant, in which order. */
import type { Covered, Hits, TestRun } from './messages.ts'

type CoveredFile = Covered['files'][number]

export type Plan = Readonly<{
  runs: readonly TestRun[]
  /** What they take, and how often they meet the mutant, without it. */
  durationMs: number
  hits: number
}>

export type Choice = Readonly<{
  /** A mutant that survives costs as much as all of its tests: at least one is tried, and others while all take no longer. */
  triedMs: number
  /** How many mutants of the same file the test has killed. A title of null is the whole file. */
  killsOf: (file: string, title: string | null) => number
}>

/** A test that waits for what a mutant took away fails after this, and so many times what it takes without. */
const waitMs = 10_000
const slowness = 10

/**
 * Whether it is met while files are loaded, or while a test file is and what it imports: the next file that imports the same
 * finds it loaded, and meets nothing.
 */
export const isMetOutsideTests = (number: string, { loading, files }: Pick<Covered, 'loading' | 'files'>): boolean =>
  countIn(loading, number) > 0 || files.some(({ around }) => countIn(around, number) > 0)

/** The tests that meet the mutant while they run. */
export const planOf = (number: string, files: Covered['files'], choice: Choice): Plan =>
  quickest(
    files.flatMap((file) => testsThatMeet(number, file)),
    choice,
  )

/**
 * What is computed outside tests may be kept, and matter to any test near it. Those that meet the file's other mutants, `numbers`,
 * are tried one by one, the others as whole files.
 */
export const planOfLoading = (numbers: readonly string[], files: Covered['files'], choice: Choice): Plan =>
  quickest(
    files.flatMap((file) => [
      ...file.tests
        .filter(({ hits }) => numbers.some((number) => countIn(hits, number) > 0))
        .map(({ title, durationMs }) => ({ file: file.file, title, durationMs, longestMs: durationMs, hits: 0 })),
      wholeOf(file, 0),
    ]),
    choice,
  )

/** `title`: null is the whole file. `longestMs`: of one test. */
type Candidate = Readonly<{ file: string; title: string | null; durationMs: number; longestMs: number; hits: number }>

const wholeOf = ({ file, durationMs, tests }: CoveredFile, hits: number): Candidate => ({
  file,
  title: null,
  durationMs,
  longestMs: Math.max(0, ...tests.map((test) => test.durationMs)),
  hits,
})

function testsThatMeet(number: string, covered: CoveredFile): readonly Candidate[] {
  const { file, around } = covered
  const tests = covered.tests
    .map(({ title, durationMs, hits }) => ({
      file,
      title,
      durationMs,
      longestMs: durationMs,
      hits: countIn(hits, number),
    }))
    .filter(({ hits }) => hits > 0)
  const hitsAround = countIn(around, number)
  if (hitsAround === 0) return tests
  return [
    wholeOf(
      covered,
      tests.reduce((sum, { hits }) => sum + hits, hitsAround),
    ),
  ]
}

const countIn = (hits: Hits, number: string): number => hits[number] ?? 0

/** The quickest first; with each mutant of the file that a test killed, it counts as that much quicker. */
function quickest(candidates: readonly Candidate[], { triedMs, killsOf }: Choice): Plan {
  const ranked = candidates
    .map((candidate) => ({ ...candidate, rank: candidate.durationMs / (1 + killsOf(candidate.file, candidate.title)) }))
    .toSorted((left, right) => left.rank - right.rank)
  const runs = new Map<string, { titles: string[] | null; limitMs: number }>()
  let durationMs = 0
  let hits = 0
  for (const candidate of ranked) {
    if (runs.size > 0 && durationMs + candidate.durationMs > triedMs) continue
    const { file, title, longestMs } = candidate
    const run = runs.get(file)
    if (run?.titles === null) continue
    runs.set(file, {
      titles: title === null ? null : [...(run?.titles ?? []), title],
      limitMs: Math.max(run?.limitMs ?? 0, waitMs + longestMs * slowness),
    })
    durationMs += candidate.durationMs
    hits += candidate.hits
  }
  return { runs: [...runs].map(([file, run]) => ({ file, ...run })), durationMs, hits }
}
