/** Runs tests of the copied tree on order of the tool, as often as asked, with the mutant that is asked for. */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import Mocha from 'mocha'
import type { Answer, Covered, Hits, Order, TestRun, Tried } from './messages.ts'

/** What the instrumented files read and write, by Stryker's names. */
type Switchboard = {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> }
  hitCount?: number
  hitLimit?: number
}

const switchboard: Switchboard = {}
Object.assign(globalThis, { __stryker__: switchboard })

/** Where hits are counted that belong to no one test. A title is never empty. */
const around = '\n'

/** Of a test that is let run to its end: also on a machine that is busy. */
const timeoutMs = 300_000
let loads = 0

type TestResult = Readonly<{ title: string; durationMs: number }>
type FailedTest = Readonly<{ title: string; isLate: boolean }>
type FileResult = Readonly<{ passed: readonly TestResult[]; failed: readonly FailedTest[] }>

/** A test file is loaded anew each time, for what it computes outside its tests; what it imports is loaded once. */
async function runFile({ file, titles, limitMs }: TestRun, bail: boolean): Promise<FileResult> {
  const mocha = new Mocha({ timeout: timeoutMs, bail, reporter: class {} as never })
  const path = resolve(file)
  switchboard.currentTestId = around
  mocha.suite.emit('pre-require', globalThis, path, mocha)
  const module: unknown = await import(`${pathToFileURL(path)}?load=${++loads}`)
  mocha.suite.emit('require', module, path, mocha)
  mocha.suite.emit('post-require', globalThis, path, mocha)
  if (titles) keepOnly(mocha.suite, titles)
  if (limitMs !== null) mocha.suite.eachTest((test) => test.timeout(limitMs))
  mocha.suite.beforeEach('counts the hits of the test', function () {
    switchboard.currentTestId = this.currentTest?.fullTitle()
  })
  const passed: TestResult[] = []
  const failed: FailedTest[] = []
  await new Promise<void>((done) => {
    const runner = mocha.run(() => done())
    runner.on('pass', (test) => passed.push({ title: test.fullTitle(), durationMs: test.duration ?? 0 }))
    runner.on('fail', (test, error) =>
      failed.push({ title: test.fullTitle(), isLate: 'code' in error && error.code === 'ERR_MOCHA_TIMEOUT' }),
    )
    runner.on('suite end', () => {
      switchboard.currentTestId = around
    })
  })
  return { passed, failed }
}

function keepOnly(suite: Mocha.Suite, titles: readonly string[]): void {
  const placeOf = (test: Mocha.Test): number => titles.indexOf(test.fullTitle())
  suite.tests = suite.tests
    .filter((test) => placeOf(test) >= 0)
    .toSorted((left, right) => placeOf(left) - placeOf(right))
  for (const inner of suite.suites) keepOnly(inner, titles)
}

async function cover({ modules, tests }: Extract<Order, { kind: 'cover' }>): Promise<Covered> {
  const coverage = { static: {}, perTest: {} as Record<string, Hits> }
  switchboard.mutantCoverage = coverage
  for (const module of modules) await import(pathToFileURL(resolve(module)).href)
  const files: Covered['files'][number][] = []
  for (const file of tests) {
    coverage.perTest = {}
    const startedAtMs = performance.now()
    const { passed, failed } = await runFile({ file, titles: null, limitMs: null }, false)
    const { [around]: hitsAround = {}, ...hitsOf } = coverage.perTest
    files.push({
      file,
      durationMs: performance.now() - startedAtMs,
      failures: failed.map(({ title }) => `${file}: ${title}`),
      around: hitsAround,
      tests: passed.map(({ title, durationMs }) => ({ title, durationMs, hits: hitsOf[title] ?? {} })),
    })
  }
  return { kind: 'covered', loading: coverage.static, files }
}

type Failure = FailedTest & Readonly<{ run: TestRun }>

/** The first test that fails, or the first file that does not load. */
async function firstFailure(runs: readonly TestRun[]): Promise<Failure | null> {
  for (const run of runs) {
    const [failed] = await runFile(run, true).then(
      ({ failed }) => failed,
      (error: unknown) => [{ title: `does not load: ${error}`, isLate: false }],
    )
    if (failed) return { run, ...failed }
  }
  return null
}

type Trial = Omit<Extract<Order, { kind: 'try' }>, 'kind'>

async function tryMutant({ number, runs, hitsMax }: Trial): Promise<Tried> {
  Object.assign(switchboard, { activeMutant: number, hitCount: 0, hitLimit: hitsMax })
  const failure = await firstFailure(runs)
  const hits = switchboard.hitCount ?? 0
  switchboard.activeMutant = undefined
  if (failure === null) return { kind: 'tried', killedBy: null, hits, isSpoiled: false }
  const { run, title, isLate } = failure
  const isOfHook = / hook\b/.test(title)
  const again = isOfHook ? run : { ...run, titles: [title] }
  const without = await firstFailure([again])
  // Where the machine is busy the time says nothing.
  if (isLate && without?.isLate)
    return tryMutant({ number, runs: runs.map((each) => ({ ...each, limitMs: null })), hitsMax })
  return { kind: 'tried', killedBy: { file: run.file, title }, hits, isSpoiled: without !== null }
}

/** As Mocha's own program does: a test that leaves a rejection behind fails. */
process.on('unhandledRejection', (reason) => {
  throw reason
})

process.on('message', (order: Order) => {
  const answered: Promise<Answer> = order.kind === 'cover' ? cover(order) : tryMutant(order)
  answered.then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
assert(process.send, 'npm run mutate starts this file')
process.on('disconnect', () => process.exit(0))
