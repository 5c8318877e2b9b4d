/**
 * Measures which lines of the programs each test file runs. This includes the test's own process, its
 * threads, and the programs that it starts.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mochaOf, temporary } from './copy-tree.ts'

/** `lines` has the lines of each file that ran. `ms` is the duration of the test in milliseconds. */
export type Reach = Readonly<{ test: string; ms: number; lines: Readonly<Record<string, readonly number[]>> }>

type Map = Readonly<{ lineLengths: readonly number[]; data: SourceMapPayload | null }>

/** One file that V8 writes. */
type Recorded = Readonly<{
  result: readonly Profiler.ScriptCoverage[]
  'source-map-cache'?: Readonly<Record<string, Map>>
}>

/**
 * Returns a function that maps an offset in the running text to the line in the source file, counted from 1.
 */
function linesOf({ lineLengths, data }: Map): (offset: number) => number | null {
  const map = data === null ? null : new SourceMap(data)
  return (offset) => {
    let [line, column] = [0, offset]
    while (line < lineLengths.length && column > (lineLengths[line] ?? 0)) column -= (lineLengths[line++] ?? 0) + 1
    const entry = map?.findEntry(line, column)
    return entry && 'originalLine' in entry ? entry.originalLine + 1 : null
  }
}

/**
 * Returns the lines that ran. V8 reports where blocks begin and end, but not lines. So a line counts as run
 * if it touches a block that ran.
 */
export function linesRun(functions: readonly Profiler.FunctionCoverage[], lineAt: (offset: number) => number | null) {
  const run = new Set<number>()
  const blocks = functions
    .flatMap(({ ranges }) => ranges)
    .toSorted((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset))
  for (const { startOffset, endOffset, count } of blocks) {
    const [from, to] = [lineAt(startOffset) ?? 1, lineAt(endOffset - 1)]
    if (to === null) continue
    if (count > 0) for (let line = from; line <= to; line++) run.add(line)
    else for (let line = from + 1; line < to; line++) run.delete(line)
  }
  return run
}

function readReach(folder: string, recordings: string): Reach['lines'] {
  const lines: Record<string, Set<number>> = {}
  const prefix = `${pathToFileURL(folder).href}/`
  for (const name of readdirSync(recordings)) {
    const { result, 'source-map-cache': maps = {} } = JSON.parse(
      readFileSync(join(recordings, name), 'utf8'),
    ) as Recorded
    for (const { url, functions } of result) {
      const file = url.slice(prefix.length).replace(/[?#].*/, '')
      const map = maps[url]
      if (!url.startsWith(prefix) || /^(test|node_modules)\//.test(file) || !map?.data) continue
      lines[file] = new Set([...(lines[file] ?? []), ...linesRun(functions, linesOf(map))])
    }
  }
  return Object.fromEntries(Object.entries(lines).map(([file, of]) => [file, [...of]]))
}

async function measure(folder: string, test: string): Promise<Reach> {
  const recordings = join(folder, temporary, `reach-${test.replaceAll('/', '-')}`)
  const startMs = performance.now()
  const env = { ...process.env, TMPDIR: join(folder, temporary), NODE_V8_COVERAGE: recordings }
  const child = spawn(process.execPath, [...mochaOf, test], { cwd: folder, stdio: 'ignore', env })
  await once(child, 'exit')
  const ms = performance.now() - startMs
  const lines = existsSync(recordings) ? readReach(folder, recordings) : {}
  rmSync(recordings, { recursive: true, force: true })
  return { test, ms, lines }
}

/**
 * Measures all tests in a copy of a checkout, and keeps the result in `path`. If the measurement is stopped,
 * the next call continues it.
 */
export async function measureReach(folder: string, tests: readonly string[], path: string): Promise<readonly Reach[]> {
  const known: Reach[] = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
  const left = tests.filter((test) => !known.some((each) => each.test === test))
  const next = async (): Promise<void> => {
    for (let test = left.shift(); test !== undefined; test = left.shift()) {
      known.push(await measure(folder, test))
      if (left.length % 20 === 0) writeFileSync(path, JSON.stringify(known))
    }
  }
  await Promise.all([next(), next()])
  writeFileSync(path, JSON.stringify(known))
  return known
}
