/** Which tests are tried on a mutant, in which order. */
import type { Covered, Hits, TestRun } from './messages.ts'
import type { Distances } from './nearest-tests.ts'

type CoveredFile = Covered['files'][number]

export type Plan = Readonly<{
  runs: readonly TestRun[]
  /** What they take, and how often they meet the mutant, without it. */
  durationMs: number
  hits: number
}>

/**
 * Of the tests that meet a mutant, those fewest imports away are all tried. Those further away are tried, the quickest first,
 * while all together take no longer than this: a mutant that survives costs as much as all of its tests.
 */
const furtherMs = 5_000

/** The tests that meet the mutant while they run. */
export const planOf = (number: string, files: Covered['files'], distances: Distances): Plan =>
  nearest(
    files.flatMap((file) => candidateOf(number, file)),
    distances,
  )

/** All tests near the file: what is computed while it is loaded may matter to any of them. */
export const planOfLoading = (files: Covered['files'], distances: Distances): Plan =>
  nearest(files.filter(({ file }) => distances.has(file)).map(wholeOf), distances)

type Candidate = Readonly<{ run: TestRun; durationMs: number; hits: number }>

const wholeOf = ({ file, durationMs }: CoveredFile): Candidate => ({ run: { file, titles: null }, durationMs, hits: 0 })

function candidateOf(number: string, covered: CoveredFile): readonly Candidate[] {
  const tests = covered.tests.filter(({ hits }) => hits[number])
  const hits = tests.reduce((sum, test) => sum + countIn(test.hits, number), countIn(covered.around, number))
  if (covered.around[number]) return [{ ...wholeOf(covered), hits }]
  if (tests.length === 0) return []
  const quickest = tests.toSorted((left, right) => left.durationMs - right.durationMs)
  const durationMs = tests.reduce((sum, test) => sum + test.durationMs, 0)
  return [{ run: { file: covered.file, titles: quickest.map(({ title }) => title) }, durationMs, hits }]
}

const countIn = (hits: Hits, number: string): number => hits[number] ?? 0

function nearest(candidates: readonly Candidate[], distances: Distances): Plan {
  const distanceOf = ({ run }: Candidate): number => distances.get(run.file) ?? Number.POSITIVE_INFINITY
  const distanceMin = Math.min(...candidates.map(distanceOf))
  const taken: Candidate[] = []
  let durationMs = 0
  for (const candidate of candidates.toSorted((left, right) => left.durationMs - right.durationMs)) {
    if (distanceOf(candidate) > distanceMin && durationMs + candidate.durationMs > furtherMs) continue
    taken.push(candidate)
    durationMs += candidate.durationMs
  }
  return { runs: taken.map(({ run }) => run), durationMs, hits: taken.reduce((sum, { hits }) => sum + hits, 0) }
}
