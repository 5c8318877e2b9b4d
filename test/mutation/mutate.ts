/**
 * `npm run mutate`: draws single changes of the programs at random, runs the nearest unit tests on each, and prints which test
 * noticed it. With `--results`, a second run continues the first one, and with a higher `--files` it runs more tests on those
 * that survived. With `--port`, it tries the changes of another checkout's results, and fails if one is not noticed any more.
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

/** The tests of a change in their order; of a ported change, first the one that noticed it in the other checkout. */
function testsOf(result: Result): readonly string[] {
  const { file, portedFrom } = result
  const nearest = reachingTests(nearestTests(file, tests, graph), reach, result)
  const killer = nearest.find((test) => basename(test) === basename(portedFrom?.killedBy ?? ''))
  return killer === undefined ? nearest : [killer, ...nearest.filter((test) => test !== killer)]
}

/** A change that many slow tests reach would hold up the others. A later run goes on with it. */
const budgetMs = 120_000
const passedWithout = new Map<string, boolean>()

async function tryResult(result: Result, folder: string): Promise<Result> {
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
  const near = testsOf(result).slice(result.triedCount, options.testCount)
  const untilMs = performance.now() + budgetMs
  const isOver = (): boolean => performance.now() > untilMs
  const { killedBy, triedCount, leftOut } = await tryChange(near, { passWith, passesWithout, isOver })
  return { ...result, killedBy, triedCount: result.triedCount + triedCount, leftOut: [...result.leftOut, ...leftOut] }
}

const { resultsPath, reachPath, testCount } = options
const reach = reachPath === null ? [] : await measureReach(await copyTree(options.checkout), tests, reachPath)
const entries = [...((resultsPath === null ? null : readResults(resultsPath)) ?? (await chooseChanges()))]
const queue = [...entries.entries()].values()

/** Each job has a copy of the checkout, and takes the next change when it is done with one. */
async function work(): Promise<void> {
  const folder = await copyTree(options.checkout)
  for (const [index, entry] of queue) {
    const isKnown = isGone(entry) || entry.killedBy !== null || entry.triedCount >= testCount
    const tried = isKnown ? entry : await tryResult(entry, folder)
    entries[index] = tried
    if (resultsPath !== null) writeResults(resultsPath, entries)
    print(describeEntry(tried))
  }
}

await Promise.all(Array.from({ length: options.jobs }, work))
print(summarize(entries))
process.exit(entries.some(isLost) ? 1 : 0)
