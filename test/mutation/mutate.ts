/**
 * `npm run mutate`: makes single random changes in the programs, runs the nearest unit tests on each change,
 * and prints which test noticed it. For example, `npm run mutate -- processors api --count 50 --seed 1`.
 * - `--results` continues an earlier run.
 * - A higher `--files` also tries more tests on unnoticed changes.
 * - `--port` tries the changes of another checkout. It fails if one of them is not noticed any more.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readImports } from '../tidy/read-imports.ts'
import { makeChange } from './changes.ts'
import { copyTree, listFiles } from './copy-tree.ts'
import { drawChanges } from './draw.ts'
import { graphOf, isUnitTest, nearestTests } from './nearest-tests.ts'
import { isIn, readOptions } from './options.ts'
import { portChanges } from './port.ts'
import { measureReach } from './reach.ts'
import { reachingTests } from './reaching-tests.ts'
import {
  describeEntry,
  type Entry,
  isGone,
  isLost,
  type Result,
  readResults,
  summarize,
  untried,
  writeResults,
} from './results.ts'
import { passes } from './run-tests.ts'
import { statementsOf, surroundingsOf } from './surroundings.ts'
import { tryChange } from './try-change.ts'
import { failingTests, makeChanges } from './whole-run.ts'

const options = readOptions(process.argv.slice(2))
const print = (text: string) => void process.stdout.write(`${text}\n`)
const allFiles = listFiles(options.checkout, '*.ts', '*.js')
const read = (file: string): string => readFileSync(join(options.checkout, file), 'utf8')
const textOf = new Map(allFiles.map((file) => [file, read(file)]))
const tests = allFiles.filter(isUnitTest)
const graph = graphOf([...textOf].flatMap(([file, text]) => readImports(file, text)))

async function chooseChanges(): Promise<readonly Entry[]> {
  const texts = new Map([...textOf].filter(([file]) => isIn(file, options.folders)))
  if (options.portPath !== null) {
    const before = readResults(options.portPath)
    assert(before, `there is no ${options.portPath}`)
    return portChanges(before, texts)
  }
  const drawn = await drawChanges(texts, options)
  return drawn.map((change) => {
    const text = texts.get(change.file) ?? ''
    return { ...change, ...surroundingsOf(change, text, statementsOf(change.file, text)), ...untried }
  })
}

/**
 * Returns the tests of a change in their order. If the change is from another checkout, the test that noticed
 * it there comes first.
 */
function testsOf(result: Result): readonly string[] {
  const { file, portedFrom } = result
  const nearest = reachingTests(nearestTests(file, tests, graph), reach, result)
  const killer = nearest.find((test) => basename(test) === basename(portedFrom?.killedBy ?? ''))
  return killer === undefined ? nearest : [killer, ...nearest.filter((test) => test !== killer)]
}

/**
 * The time limit for the tests of one change, in milliseconds. A later run tries the remaining tests, so that
 * one change does not delay the others.
 */
const budgetMs = 120_000
const passedWithout = new Map<string, boolean>()

async function tryTests(result: Result, tests: readonly string[], folder: string): Promise<Result> {
  const path = join(folder, result.file)
  const text = textOf.get(result.file) ?? ''
  const changed = makeChange(text, result)
  assert(changed !== null, `${result.file} is not the one that the results are of`)
  const passWith = async (some: readonly string[]): Promise<boolean> => {
    writeFileSync(path, changed)
    const isPassed = await passes(folder, some)
    writeFileSync(path, text)
    return isPassed
  }
  const passesWithout = async (test: string): Promise<boolean> => {
    const isPassed = passedWithout.get(test) ?? (await passes(folder, [test]))
    passedWithout.set(test, isPassed)
    return isPassed
  }
  const untilMs = performance.now() + budgetMs
  const isOver = (): boolean => performance.now() > untilMs
  const { killedBy, triedCount, leftOut } = await tryChange(tests, { passWith, passesWithout, isOver })
  return { ...result, killedBy, triedCount: result.triedCount + triedCount, leftOut: [...result.leftOut, ...leftOut] }
}

const { resultsPath, reachPath, testCount } = options
const reach = reachPath === null ? [] : await measureReach(await copyTree(options.checkout), tests, reachPath)
const entries = [...((resultsPath === null ? null : readResults(resultsPath)) ?? (await chooseChanges()))]
const queue = [...entries.entries()].values()

/** Runs one job. A job has its own copy of the checkout, and tries one change after another. */
async function work(): Promise<void> {
  const folder = await copyTree(options.checkout)
  for (const [index, entry] of queue) {
    const isKnown = isGone(entry) || entry.killedBy !== null || entry.triedCount >= testCount
    const near = isKnown ? [] : testsOf(entry).slice(entry.triedCount, testCount)
    const tried = isKnown ? entry : await tryTests(entry, near, folder)
    entries[index] = tried
    if (resultsPath !== null) writeResults(resultsPath, entries)
    print(describeEntry(tried))
  }
}

/**
 * Runs all tests with all unnoticed changes at the same time. Then runs each failing test on each of these
 * changes alone.
 */
async function tryWholeRun(): Promise<void> {
  const survivors = entries.filter((entry): entry is Result => !isGone(entry) && entry.killedBy === null)
  const folders = await Promise.all(Array.from({ length: options.jobs }, () => copyTree(options.checkout)))
  for (const file of new Set(survivors.map((survivor) => survivor.file))) {
    const changed = makeChanges(
      textOf.get(file) ?? '',
      survivors.filter((survivor) => survivor.file === file),
    )
    for (const folder of folders) writeFileSync(join(folder, file), changed)
  }
  const runners = folders.map((folder) => (some: readonly string[]) => passes(folder, some))
  const failing = await failingTests(tests, runners)
  print(`${failing.length} tests fail with all ${survivors.length} changes that survived`)
  const folder = await copyTree(options.checkout)
  for (const [index, entry] of entries.entries()) {
    if (isGone(entry) || entry.killedBy !== null) continue
    const tried = await tryTests(entry, failing, folder)
    entries[index] = { ...tried, triedCount: entry.triedCount }
    if (tried.killedBy !== null) print(describeEntry(tried))
    if (resultsPath !== null) writeResults(resultsPath, entries)
  }
}

await Promise.all(Array.from({ length: options.jobs }, work))
if (options.isWhole) await tryWholeRun()
print(summarize(entries))
process.exit(entries.some(isLost) ? 1 : 0)
