/**
 * Damages random files of a data directory, and starts the service after each damage. The service must work, say which chain does not work
 * and why, or exit with a sentence. Damaged tables must be whole after the next start. The service must never hang or end by a signal.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../../../../infra/ports.ts'
import { createRandom, type Random } from '../../../../ingest/simulated/random.ts'
import { damages } from './damages.ts'

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
const liveMsMax = 120_000
/** A service may need this time to catch up before it is judged. */
const settledMs = 15_000
const endMsMax = 90_000

/**
 * The options are the number of damages, the seed, `what` and `where`. `what` is a part of the name of a
 * damage, and `where` is a part of a file name. An example is `damage 10 1 zeros facts`. By default, all
 * damages and all files are used.
 */
export async function attackByDamage(options: readonly string[]): Promise<boolean> {
  const [countText = '200', seedText = '1', what = '', where = ''] = options
  const root = mkdtempSync(join(tmpdir(), 'launch-data-damage-'))
  const random = createRandom(Number(seedText))
  const outcomes = new Map<string, number>()
  try {
    const whole = join(root, 'whole')
    const first = await runOn(whole)
    if (first.outcome !== 'works') throw new TypeError(`the service does not work before any damage: ${first.said}`)
    for (let time = 1; time <= Number(countText); time++) {
      const copy = join(root, 'copy')
      rmSync(copy, { recursive: true, force: true })
      cpSync(whole, copy, { recursive: true, verbatimSymlinks: true })
      const done = damageIn(copy, { random, what, where })
      const outcome = await outcomeOf(copy)
      outcomes.set(outcome.name, (outcomes.get(outcome.name) ?? 0) + 1)
      console.log(`${String(time).padStart(3)}  ${outcome.name}: ${done}${outcome.isGood ? '' : `\n${outcome.said}`}`)
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  console.log([...outcomes].map(([name, count]) => `${name}: ${count}`).join(', '))
  return [...outcomes.keys()].every((name) => goodNames.has(name))
}

const goodNames: ReadonlySet<string> = new Set(['works', 'says what fails', 'ends with a sentence', 'made anew'])

type Judged = Readonly<{ name: string; said: string; isGood: boolean }>

async function outcomeOf(dataDir: string): Promise<Judged> {
  const { outcome, said } = await runOn(dataDir)
  if (outcome === 'ends with a sentence' && said.includes('Start the service again')) {
    const again = await runOn(dataDir)
    const name = again.outcome === 'works' ? 'made anew' : `not made anew: ${again.outcome}`
    return { name, said: again.said, isGood: goodNames.has(name) }
  }
  return { name: outcome, said, isGood: goodNames.has(outcome) }
}

type Choice = Readonly<{ random: Random; what: string; where: string }>

/** Picks one file. Each file outside of the tables has the same chance as all files of the tables together. */
function damageIn(dataDir: string, { random, what, where }: Choice): string {
  const files = filesIn(dataDir).filter((file) => statSync(file).size > 0 && file.includes(where))
  const ofTables = files.filter((file) => file.includes('/clickhouse/'))
  const groups = [...files.filter((file) => !ofTables.includes(file)).map((file) => [file]), ofTables].filter(
    (group) => group.length > 0,
  )
  const file = pickOf(pickOf(groups, random), random)
  const [name, damage] = pickOf(
    Object.entries(damages).filter(([name]) => name.includes(what)),
    random,
  )
  damage(file, random)
  return `${file.slice(dataDir.length + 1)} ${name}`
}

const pickOf = <Item>(items: readonly Item[], random: Random): Item => items[random.whole(0, items.length - 1)] as Item

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesIn(path)
    return entry.isFile() ? [path] : []
  })

type Run = Readonly<{ outcome: string; said: string }>

async function runOn(dataDir: string): Promise<Run> {
  const [port = 0] = await freePorts(1)
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [join('infra', 'command-line', 'launch-data.js'), 'up'], {
    cwd: checkout,
    env: { PATH, HOME, PORT: String(port), LOG_LEVEL: 'warn', DATA_DIR: dataDir, SIMULATOR_LOOK_BACK_HOURS: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-20_000)
  })
  const startedAtMs = Date.now()
  let health = ''
  while (hasEnded(child) === null && Date.now() - startedAtMs < liveMsMax) {
    await sleep(500)
    health = await healthAt(port)
    if (health === 'ok') break
    if (Date.now() - startedAtMs > settledMs && /log_corrupt|log_failed|record_corrupt/.test(said)) break
  }
  const ended = hasEnded(child) ?? (await end(child))
  return { outcome: nameOf({ ended, health, said }), said: said.slice(-2_000) }
}

type Ended = Readonly<{ ended: string; health: string; said: string }>

function nameOf({ ended, health, said }: Ended): string {
  if (ended === 'in order') {
    if (health === 'ok') return 'works'
    return /log is damaged|failed/.test(said) ? 'says what fails' : `is ${health || 'silent'} without a word`
  }
  if (ended !== 'code 1') return `ends with ${ended}`
  return /launch-data: /.test(said) ? 'ends with a sentence' : 'ends without a word'
}

/** Null: the process runs. */
const hasEnded = ({ exitCode, signalCode }: ChildProcess): string | null => {
  if (signalCode !== null) return signalCode
  return exitCode === null ? null : exitCode === 0 ? 'in order' : `code ${exitCode}`
}

async function end(child: ChildProcess): Promise<string> {
  child.kill('SIGTERM')
  for (let waitedMs = 0; waitedMs < endMsMax; waitedMs += 100) {
    const ended = hasEnded(child)
    if (ended !== null) return ended
    await sleep(100)
  }
  child.kill('SIGKILL')
  return 'no end after SIGTERM'
}

async function healthAt(port: number): Promise<string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/health`, { signal: AbortSignal.timeout(5_000) })
    const { status = '' } = (await response.json()) as Readonly<{ status?: string }>
    return response.status === 200 ? status : `status ${response.status}`
  } catch {
    return ''
  }
}
