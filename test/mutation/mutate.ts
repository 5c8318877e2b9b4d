/**
 * `npm run mutate -- <folder or file> …`: makes single changes in the program, runs the nearest unit tests on each, and prints
 * which changes no test noticed. With ids of mutants after the folders, only these are tried; with `--sample`, that share.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { readImports } from '../tidy/read-imports.ts'
import { accepted as acceptedList, isAccepted, strayEntries } from './accepted.ts'
import { copyTree, listFiles } from './copy-tree.ts'
import { countKillers } from './killers.ts'
import type { Covered } from './messages.ts'
import { instrument, type Mutant } from './mutants.ts'
import { importersOf, testsNear } from './nearest-tests.ts'
import { isIn, readOptions } from './options.ts'
import { type Choice, isMetOutsideTests, planOf, planOfLoading } from './plan.ts'
import { sample } from './sample.ts'
import { type Outcome, tryMutant } from './try-mutant.ts'
import { linkWorker, type WorkerLink } from './worker-link.ts'

const options = readOptions(process.argv.slice(2))
const read = (file: string): string => readFileSync(file, 'utf8')
const coverLimitMs = 900_000

async function main(): Promise<void> {
  const allFiles = listFiles('*.ts', '*.js')
  const files = allFiles.filter((file) => isIn(file, options.folders) && !file.startsWith('test/'))
  const { mutants: all, texts } = await instrument(new Map(files.map((file) => [file, read(file)])))
  const importers = importersOf(allFiles.flatMap((file) => readImports(file, read(file))))
  const isWanted = (test: string): boolean => options.tests.length === 0 || isIn(test, options.tests)
  const tests = new Map(files.map((file) => [file, new Set([...testsNear(file, importers)].filter(isWanted))]))
  const folder = await copyTree(texts)
  const links = Array.from({ length: Math.min(2, availableParallelism()) }, () => linkWorker(folder))
  try {
    await judge(all, { links, tests })
  } finally {
    for (const link of links) await link.renew()
  }
  const stray = strayEntries(acceptedList, files, all)
  for (const entry of stray)
    console.log(`stray    ${entry}: no such mutant; take it out of test/mutation/accepted.json`)
  if (stray.length > 0) process.exitCode = 1
}

type Tools = Readonly<{ links: readonly WorkerLink[]; tests: ReadonlyMap<string, ReadonlySet<string>> }>

async function judge(all: readonly Mutant[], { links, tests }: Tools): Promise<void> {
  const { ids, share, seed } = options
  const mutants = ids.length > 0 ? all.filter(({ id }) => ids.includes(id)) : sample(all, share, seed)
  const [first] = links
  assert(first)
  const near = [...new Set([...tests.values()].flatMap((some) => [...some]))].toSorted()
  const { files, loading } = await cover(first, [...tests.keys()], near)
  const tally = startTally(mutants.length, all.length)
  const killers = countKillers()
  const queue = [...mutants]
  const numbersOf = new Map<string, string[]>()
  for (const { file, number } of all) numbersOf.set(file, [...(numbersOf.get(file) ?? []), number])
  const work = async (link: WorkerLink): Promise<void> => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const { number, file } = mutant
      const near = files.filter((test) => tests.get(file)?.has(test.file))
      const choice: Choice = {
        triedMs: options.triedMs,
        killsOf: (testFile, title) => killers.count(file, testFile, title),
      }
      const isOutside = isMetOutsideTests(number, { loading, files: near })
      const plans = {
        number,
        running: planOf(number, near, choice),
        loading: isOutside ? planOfLoading(numbersOf.get(file) ?? [], near, choice) : null,
      }
      const outcome = await tryMutant(link, plans)
      if (outcome.kind === 'killed' && outcome.by) killers.add(file, outcome.by)
      tally(mutant, outcome)
    }
  }
  await Promise.all(links.map(work))
}

/** Tests that fail without any mutant, in the copied tree or beside other tests, say nothing about one. */
async function cover(link: WorkerLink, modules: readonly string[], tests: readonly string[]): Promise<Covered> {
  const startedAtMs = performance.now()
  const covered = await link.ask({ kind: 'cover', modules, tests }, coverLimitMs)
  assert(covered?.kind === 'covered', 'the tests do not end without any mutant')
  await link.renew()
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0)
  console.log(`the nearest tests: ${tests.length} files, ${seconds} s`)
  for (const { failures } of covered.files)
    for (const failure of failures) console.log(`left out, it fails: ${failure}`)
  return { ...covered, files: covered.files.filter(({ failures }) => failures.length === 0) }
}

/** Prints each mutant that is not killed when it is known, and the score when this process ends, however it does. */
function startTally(total: number, all: number): (mutant: Mutant, outcome: Outcome) => void {
  const startedAtMs = performance.now()
  let tried = 0
  let killed = 0
  let accepted = 0
  process.on('exit', () => {
    const counted = tried - accepted
    const score = counted === 0 ? 100 : (100 * killed) / counted
    const elapsedMs = performance.now() - startedAtMs
    console.log(
      `score ${score.toFixed(1)} %: ${killed} killed of ${counted}, ${counted - killed} not, ${accepted} more accepted; ` +
        `tried ${tried} of ${total}, ${((100 * tried) / all).toFixed(0)} % of all ${all}, in ${(elapsedMs / 1000).toFixed(0)} s, ${(elapsedMs / Math.max(1, tried)).toFixed(0)} ms each`,
    )
  })
  return (mutant, { kind }) => {
    const { id, file, line, original, replacement } = mutant
    const text = `${id} ${file}:${line}  ${original} -> ${replacement}`
    tried++
    if (kind === 'killed') killed++
    else if (isAccepted(mutant)) accepted++
    else console.log(`${kind.padEnd(8)} ${text}`)
    if (kind === 'killed' && isAccepted(mutant))
      console.log(`killed   ${text}: a test notices it; it need not be accepted`)
  }
}

await main()
process.exit()
