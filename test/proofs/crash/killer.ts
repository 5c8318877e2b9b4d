/** Starts the child, kills it as planned, and reports how it ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CrashPointName } from '../../../infra/crash-points.ts'
import { OperationError } from '../../../infra/errors.ts'
import { runBundled } from '../../support/run-typescript.ts'
import type { Contents } from './contents.ts'
import { createLifeWatch, type LifePhase, type LifeWatch, type Moment } from './life.ts'
import type { PaymentWorld } from './payments.ts'
import type { Span } from './simulated-chains.ts'

/**
 * Three simulated hours in ranges of a minute. They have bursts, lookups, outcomes of bursts, and pulled
 * pools. A reorg every six minutes replaces up to five ranges, so bursts are withdrawn, changed and moved.
 */
export const span: Span = {
  seed: 7,
  reorgs: { seed: 1, everySec: 360, depthMax: 300 },
  fromMs: Date.UTC(2026, 0, 1),
  toMs: Date.UTC(2026, 0, 1, 3),
  rangeSec: 60,
}

export type ChildJob = Readonly<{
  job: 'run' | 'runConfirmingFirst' | 'rebuild' | 'contents' | 'pay' | 'retain' | 'dieAsIngest' | 'dieAsStage'
  dataDir: string
  span: Span
  /** The point at which the child dies. */
  crash?: Readonly<{ name: CrashPointName; hit: number }>
  /** The file for the job `contents`. */
  outFile?: string
  /** For the job `pay`. */
  payment?: PaymentWorld
}>

export type Outcome = Readonly<{
  /** `stopped`: the child ended on SIGTERM before the end of the span. */
  ending: 'done' | 'stopped' | 'killed'
  moment: Moment
  phasesMs: ReturnType<LifeWatch['durationsMs']>
}>

/**
 * After this time, in milliseconds, the child counts as hanging. A hanging child is a failure of the tested
 * code.
 */
const patienceMs = 300_000
const childScript = fileURLToPath(new URL('./child.ts', import.meta.url))

/** The children are killed when this process exits. */
const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/**
 * The parent kills the child `afterMs` after the phase begins. For the phase `shutdown`, the parent first
 * sends SIGTERM, `stopAfterMs` after the phase `steady` begins.
 */
export type Kill = Readonly<{ phase: LifePhase; afterMs: number; stopAfterMs?: number }>

export type KillPlan = Readonly<{
  /** The kill by the parent. Null: only a crash point ends the child early. */
  kill?: Kill | null
  /** Stops the process for this time as soon as the process is running, like a machine that sleeps. */
  pauseMs?: number
}>

/** Fails with `program_failed` and the child's standard error if the child ended with an error. */
export async function runChild(job: ChildJob, plan: KillPlan = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [runBundled, childScript, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  alive.add(child)
  let output = ''
  let errors = ''
  let isHanging = false
  const timers: NodeJS.Timeout[] = []
  const later = (delayMs: number, act: () => void) => timers.push(setTimeout(act, delayMs))
  const life = createLifeWatch(
    () => performance.now(),
    (phase) => strike({ child, later }, phase, plan),
  )
  child.stderr.on('data', (text) => {
    errors += text
  })
  child.stdout.on('data', (text) => {
    output = (output + text).slice(-outputKept)
    life.hear(String(text))
  })
  strike({ child, later }, 'start', plan)
  later(patienceMs, () => {
    isHanging = true
    child.kill('SIGKILL')
  })
  const [code, signal] = await new Promise<readonly [number | null, string | null]>((resolve) => {
    child.once('close', (...ending) => resolve(ending))
  })
  alive.delete(child)
  for (const timer of timers) clearTimeout(timer)
  const lived = { moment: life.moment(), phasesMs: life.durationsMs() }
  if (code === 0 && output.endsWith('done\n')) return { ending: 'done', ...lived }
  if (code === 0 && output.endsWith('stopped\n')) return { ending: 'stopped', ...lived }
  if (signal === 'SIGKILL' && !isHanging) return { ending: 'killed', ...lived }
  const how = isHanging ? 'hung' : `ended with ${signal ?? code}`
  throw new OperationError('program_failed', `the child ${how}: ${JSON.stringify(job)}\n${errors.slice(-3000)}`)
}

/** The number of characters of standard output that are kept. */
const outputKept = 100

type Victim = Readonly<{ child: ChildProcess; later: (delayMs: number, act: () => void) => void }>

/** Starts the timers of the plan for this phase. */
function strike({ child, later }: Victim, phase: LifePhase, { kill = null, pauseMs }: KillPlan): void {
  if (phase === 'steady' && kill?.phase === 'shutdown') later(kill.stopAfterMs ?? 0, () => child.kill('SIGTERM'))
  if (phase === kill?.phase) later(kill.afterMs, () => child.kill('SIGKILL'))
  if (phase !== 'steady' || pauseMs === undefined) return
  child.kill('SIGSTOP')
  setTimeout(() => child.kill('SIGCONT'), pauseMs)
}

/** Reads the contents in another child, because a process can open the embedded tables of only one folder. */
export async function contentsOf({ dataDir, span }: Pick<ChildJob, 'dataDir' | 'span'>): Promise<Contents> {
  const outFile = `${dataDir}.json`
  await runChild({ job: 'contents', dataDir, span, outFile })
  return JSON.parse(readFileSync(outFile, 'utf8')) as Contents
}
