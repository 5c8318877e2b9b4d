/** The options of the command line. */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'

const usage =
  'npm run mutate -- [folder or file] … [--count 30] [--seed 1] [--files 8] [--results file] [--reach file] [--jobs 1] [--whole] [--checkout folder] [--port file]'

/** The programs: all but tests. */
const programs = ['api', 'infra', 'ingest', 'processors', 'projections', 'schemas']

export type Options = Readonly<{
  folders: readonly string[]
  count: number
  seed: number
  /**
   * The maximum number of test files per change. The test files whose imports reach the changed file in the fewest
   * steps are run first.
   */
  testCount: number
  /** The file in which results are kept. With null, results are not kept. */
  resultsPath: string | null
  /** The file with the lines that each test runs. With null, these lines are not measured. */
  reachPath: string | null
  /** How many changes are tried at the same time. */
  jobs: number
  /** Whether all unit tests run one time with all changes that survived. */
  isWhole: boolean
  checkout: string
  /** The results of another checkout whose changes are tried here. With null, new changes are drawn. */
  portPath: string | null
}>

export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
      files: { type: 'string', default: '8' },
      results: { type: 'string' },
      reach: { type: 'string' },
      jobs: { type: 'string', default: '1' },
      whole: { type: 'boolean', default: false },
      checkout: { type: 'string', default: '.' },
      port: { type: 'string' },
    },
  })
  const [count, seed, testCount, jobs] = [
    Number(values.count),
    Number(values.seed),
    Number(values.files),
    Number(values.jobs),
  ]
  assert([count, testCount, jobs].every((each) => Number.isInteger(each) && each > 0) && Number.isInteger(seed), usage)
  return {
    folders: positionals.length > 0 ? positionals.map((folder) => folder.replace(/\/$/, '')) : programs,
    count,
    seed,
    testCount,
    resultsPath: values.results ?? null,
    reachPath: values.reach ?? null,
    jobs,
    isWhole: values.whole,
    checkout: values.checkout,
    portPath: values.port ?? null,
  }
}

export const isIn = (file: string, folders: readonly string[]): boolean =>
  folders.some((folder) => file === folder || file.startsWith(`${folder}/`))
