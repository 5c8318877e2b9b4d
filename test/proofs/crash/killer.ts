/** Starts the child, lets it die when it is told to, and says how it ended. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CrashPointName } from '../../../infra/crash-points.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { Contents } from './contents.ts'
import type { Span } from './derive-span.ts'
import type { PaymentWorld } from './payments.ts'

/**
 * Three hours in ranges of a minute: bursts, questions with answers, outcomes, pulled pools; and a reorg every six minutes,
 * which takes back up to five ranges: bursts are restated, withdrawn and moved.
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
  /** Where it is to die. */
  crash?: Readonly<{ name: CrashPointName; hit: number }>
  /** Where `contents` are put. */
  outFile?: string
  /** For `pay`. */
  payment?: PaymentWorld
}>

export type Outcome = Readonly<{
  ending: 'done' | 'killed'
  /** From the start until all that the log held was worked off; null when it never was. */
  restartMs: number | null
}>

/** A child that neither ends nor dies in this time hangs: that is a failure of what is tested. */
const patienceMs = 120_000
const childScript = fileURLToPath(new URL('./child.ts', import.meta.url))

export type Kill = Readonly<{ afterMs: number; from: 'start' | 'running' }>

export type KillPlan = Readonly<{
  /** By the parent; null: only a crash point ends it early. `running`: from when all that stood is worked off. */
  kill?: Kill | null
  /** Stops the whole process for so long as soon as it runs, as a machine that sleeps. */
  pauseMs?: number
}>

/** Fails with `program_failed`, with what the child wrote to its standard error, when it ended by itself and not well. */
export async function runChild(job: ChildJob, { kill = null, pauseMs }: KillPlan = {}): Promise<Outcome> {
  const startedAtMs = performance.now()
  const child = spawn(process.execPath, ['--import', 'tsx', childScript, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  let restartMs: number | null = null
  let isHanging = false
  const timers: NodeJS.Timeout[] = []
  const killLater = (afterMs: number) => timers.push(setTimeout(() => child.kill('SIGKILL'), afterMs))
  child.stderr.on('data', (text) => {
    errors += text
  })
  child.stdout.on('data', (text) => {
    output += text
    if (restartMs !== null || !output.includes('running\n')) return
    restartMs = performance.now() - startedAtMs
    if (kill?.from === 'running') killLater(kill.afterMs)
    if (pauseMs === undefined) return
    child.kill('SIGSTOP')
    setTimeout(() => child.kill('SIGCONT'), pauseMs)
  })
  timers.push(
    setTimeout(() => {
      isHanging = true
      child.kill('SIGKILL')
    }, patienceMs),
  )
  if (kill?.from === 'start') killLater(kill.afterMs)
  const [code, signal] = await new Promise<readonly [number | null, string | null]>((resolve) => {
    child.once('close', (...ending) => resolve(ending))
  })
  for (const timer of timers) clearTimeout(timer)
  if (code === 0 && output.endsWith('done\n')) return { ending: 'done', restartMs }
  if (signal === 'SIGKILL' && !isHanging) return { ending: 'killed', restartMs }
  const how = isHanging ? 'hung' : `ended with ${signal ?? code}`
  throw new OperationError('program_failed', `the child ${how}: ${JSON.stringify(job)}\n${errors.slice(-3000)}`)
}

/** By a child of its own, since a process can open the embedded tables of one folder only. */
export async function contentsOf({ dataDir, span }: Pick<ChildJob, 'dataDir' | 'span'>): Promise<Contents> {
  const outFile = `${dataDir}.json`
  await runChild({ job: 'contents', dataDir, span, outFile })
  return JSON.parse(readFileSync(outFile, 'utf8')) as Contents
}
