/** Which tests are tried on a mutant, in which order. */
import type { Covered, Hits, TestRun } from './messages.ts'

type CoveredFile = Covered['files'][number]

export type Plan = Readonly<{
  runs: readonly TestRun[]
  /** What they take, and how often they meet the mutant, without it. */
  durationMs: number
  hits: number
}>

/**
 * The quickest tests are tried, while all together take no longer than this, but at least one: a mutant that survives costs
 * as much as all of its tests.
 */
const triedMs = 10_000

/** The tests that meet the mutant while they run. */
export const planOf = (number: string, files: Covered['files']): Plan =>
  quickest(files.flatMap((file) => testsThatMeet(number, file)))

/** All tests near the file: what is computed while it is loaded may matter to any of them. */
export const planOfLoading = (files: Covered['files']): Plan => quickest(files.map((file) => wholeOf(file, 0)))

/** `title`: null is the whole file. */
type Candidate = Readonly<{ file: string; title: string | null; durationMs: number; hits: number }>

const wholeOf = ({ file, durationMs }: CoveredFile, hits: number): Candidate => ({
  file,
  title: null,
  durationMs,
  hits,
})

function testsThatMeet(number: string, covered: CoveredFile): readonly Candidate[] {
  const { file, around } = covered
  const tests = covered.tests
    .map(({ title, durationMs, hits }) => ({ file, title, durationMs, hits: countIn(hits, number) }))
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

function quickest(candidates: readonly Candidate[]): Plan {
  const titles = new Map<string, string[] | null>()
  let durationMs = 0
  let hits = 0
  for (const candidate of candidates.toSorted((left, right) => left.durationMs - right.durationMs)) {
    if (titles.size > 0 && durationMs + candidate.durationMs > triedMs) break
    const { file, title } = candidate
    titles.set(file, title === null ? null : [...(titles.get(file) ?? []), title])
    durationMs += candidate.durationMs
    hits += candidate.hits
  }
  return { runs: [...titles].map(([file, its]) => ({ file, titles: its })), durationMs, hits }
}
