/** What the command line asks for. */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'

const usage =
  'npm run mutate -- <folder or file> … [id of a mutant] … [--sample 0.1] [--seed 1] [--seconds 4] [--tests <folder or file>] …'

export type Options = Readonly<{
  folders: readonly string[]
  /** Only these mutants; none is all. */
  ids: readonly string[]
  /** The share of the mutants of each file that is tried, and which of them. */
  share: number
  seed: number
  /** The most that the tests of a mutant that survives take, without it. */
  triedMs: number
  /** Only tests in here; none is all. */
  tests: readonly string[]
}>

const isId = (word: string): boolean => /^[0-9a-f]{8}$/.test(word)
const withoutSlash = (folder: string): string => folder.replace(/\/$/, '')

export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      sample: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '4' },
      tests: { type: 'string', multiple: true, default: [] },
    },
  })
  const folders = positionals.filter((word) => !isId(word)).map(withoutSlash)
  const [share, seed, seconds] = [Number(values.sample), Number(values.seed), Number(values.seconds)]
  assert(folders.length > 0 && share > 0 && share <= 1 && Number.isInteger(seed) && seconds > 0, usage)
  const tests = values.tests.map(withoutSlash)
  return { folders, ids: positionals.filter(isId), share, seed, triedMs: seconds * 1000, tests }
}

export const isIn = (file: string, folders: readonly string[]): boolean =>
  folders.some((folder) => file === folder || file.startsWith(`${folder}/`))
