/** Runs tests and counts how often they take each branch of the files under test. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { branchesOf } from './branches.ts'
import { type RecordedFile, type RecordingOptions, recordingVariable } from './recording.ts'

/** `source` is the line of TypeScript in which the branch begins. */
export type MeasuredBranch = Readonly<{ file: string; line: number; what: string; source: string; count: number }>

/** `tests` are paths of test files. Only the tests whose names match `named` run. */
export type Measuring = Readonly<{ files: readonly string[]; tests: readonly string[]; named?: RegExp }>

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Returns the branches and their counts. Fails if a test fails. Property tests draw the same cases in each
 * run.
 */
export async function measureBranches({ files, tests, named = /./ }: Measuring): Promise<readonly MeasuredBranch[]> {
  const folder = await mkdtemp(join(tmpdir(), 'branches-'))
  const recording: RecordingOptions = {
    toFile: join(folder, 'recording.json'),
    paths: files.map((file) => join(root, file)),
  }
  try {
    await runTests(recording, [...tests, '--grep', named.source])
    const recorded = JSON.parse(await readFile(recording.toFile, 'utf8')) as readonly RecordedFile[]
    const missing = recording.paths.filter((path) => !recorded.some((file) => file.path === path))
    assert.deepEqual(missing, [], 'the tests load each file')
    return (await Promise.all(recorded.map(inSource))).flat()
  } finally {
    await rm(folder, { recursive: true })
  }
}

const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
const preloaded = ['../../property-seed.ts', './record-coverage.ts'].map((file) =>
  fileURLToPath(new URL(file, import.meta.url)),
)

async function runTests(recording: RecordingOptions, what: readonly string[]): Promise<void> {
  const required = preloaded.flatMap((file) => ['--require', file])
  const options = ['--import', 'tsx', mocha, '--no-package', ...required, '--exit', '--timeout', '600000', ...what]
  const env = { ...process.env, PROPERTY_SEED: '1', [recordingVariable]: JSON.stringify(recording) }
  await promisify(execFile)(process.execPath, options, { cwd: root, env, maxBuffer: 2 ** 26 }).catch(
    ({ stdout }: { stdout: string }) => assert.fail(`the tests fail:\n${stdout}`),
  )
}

async function inSource({ path, text, functions }: RecordedFile): Promise<readonly MeasuredBranch[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  const originOf = originsIn(text)
  return branchesOf(text, functions).flatMap(({ at, what, count }) => {
    const line = originOf(at)
    const source = lines[line ?? -1]?.trim() ?? ''
    // Code that the bundler adds has no source line. A line with `satisfies never` cannot be reached, which
    // the compiler proves.
    if (line === null || source.includes('satisfies never')) return []
    return [{ file: relative(root, path), line: line + 1, what, source, count }]
  })
}

/** Returns a function that maps an offset in the running text to its line in the source file. */
function originsIn(text: string): (offset: number) => number | null {
  const encoded = /sourceMappingURL=data:application\/json;base64,(\S+)/.exec(text)?.[1]
  assert(encoded !== undefined, 'the running text has no source map')
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')))
  return (offset) => {
    const before = text.slice(0, offset).split('\n')
    const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0)
    return 'originalLine' in entry ? entry.originalLine : null
  }
}
