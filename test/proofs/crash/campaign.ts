/**
 * Kills the pipeline again and again while it processes a span of simulated time. Compares the result with a
 * run without kills. Repeats the span until there were enough kills.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrashPointName } from '../../../infra/crash-points.ts'
import { createRandom, type Random, shuffled } from '../../../ingest/simulated/random.ts'
import { type CampaignReport, countKill, countLife, createReport } from './campaign-report.ts'
import { type Contents, differences } from './contents.ts'
import { type ChildJob, contentsOf, type Kill, runChild } from './killer.ts'
import { type LifePhase, lifePhases } from './life.ts'
import { playPayments } from './payments.ts'
import { playRetention } from './retention.ts'

/**
 * The crash points of the pipeline. A kill comes at the n-th pass of its point, and n is at most the given
 * number. The number depends on how often the pipeline passes the point.
 */
const pipelinePoints: Readonly<Partial<Record<CrashPointName, number>>> = {
  'ingest-before-append': 12,
  'ingest-after-addresses': 12,
  'ingest-after-append': 12,
  'log-days-written': 60,
  'log-before-commit': 60,
  'log-after-commit': 60,
  'stage-before-commit': 40,
  'stage-after-commit': 40,
  'stage-restated': 12,
  'snapshot-chunk-written': 6,
  'snapshot-before-manifest': 6,
  'snapshot-after-manifest': 6,
  'sink-planned': 8,
  'sink-table-written': 20,
  'sink-before-done': 8,
  'sink-after-done': 8,
  'lookup-before-append': 1,
  'lookup-after-append': 1,
  'compaction-block-replaced': 8,
}
const names = Object.keys(pipelinePoints) as CrashPointName[]

/** All points of a campaign. */
export const campaignPoints: readonly CrashPointName[] = [...names, 'rebuild-exchanged', 'retention-days-forgotten']

/** The share of random kills. All others come at named points. */
const atRandomRatio = 0.35
/** A process in the phase `steady` is killed or stopped within this time, because a run needs many processes. */
const steadyMsMax = 1_200
/** The assumed length of each phase in milliseconds, until the phase has been measured. */
const phaseMsGuess = { start: 1_000, 'catch-up': 500, steady: steadyMsMax, shutdown: 50 } as const

type Folder = Pick<ChildJob, 'dataDir' | 'span'>

/** A run without kills. */
export type Calm = Readonly<{ folder: Folder; contents: Contents }>

export async function runCalm(folder: Folder): Promise<Calm> {
  await runChild({ ...folder, job: 'run' })
  return { folder, contents: await contentsOf(folder) }
}

export type CampaignOptions = Readonly<{
  killCount: number
  seed: number
  calm: Calm
  /** The number of kills of rebuilds, of retention, and of each payment point. They are part of `killCount`. */
  sideKillCount: number
  paymentPoints: readonly CrashPointName[]
  onKill?: (report: CampaignReport) => void
  onRun?: (report: CampaignReport) => void
}>

/** Fails with `program_failed` when a restarted process cannot continue. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const root = mkdtempSync(join(tmpdir(), 'crash-'))
  const report = createReport()
  const random = createRandom(options.seed, 0, 1)
  const { folder: calm, contents: expected } = options.calm
  const { sideKillCount: count, paymentPoints: points } = options
  try {
    const onTheWay = options.killCount - (2 + points.length) * count
    while (report.kills < onTheWay) {
      const dataDir = join(root, `run-${report.runs}`)
      await killUntilThrough({ ...calm, dataDir }, { random, report, killCount: onTheWay, onKill: options.onKill })
      const found = differences(expected, await contentsOf({ ...calm, dataDir }))
      report.mismatches.push(...found.map((text) => `run ${report.runs}, ${text}`))
      report.runs++
      if (found.length === 0) rmSync(dataDir, { recursive: true })
      options.onRun?.(report)
    }
    await killRebuilds({ root, calm, expected }, count, report)
    await playPayments({ root, points, count }, report)
    await playRetention(root, count, report)
    options.onRun?.(report)
    return report
  } finally {
    if (report.mismatches.length === 0) rmSync(root, { recursive: true })
  }
}

type Killing = Readonly<{
  random: Random
  report: CampaignReport
  killCount: number
  onKill: CampaignOptions['onKill']
}>

async function killUntilThrough(run: Folder, { random, report, killCount, onKill }: Killing): Promise<void> {
  for (;;) {
    const { crash, kill } = report.kills < killCount ? choose(random, report) : undisturbed
    const outcome = await runChild({ ...run, job: 'run', ...(crash && { crash }) }, { kill })
    countLife(report, outcome)
    if (outcome.ending === 'done') return
    if (outcome.ending === 'killed') countKill(report, crash?.name ?? atRandomIn(outcome.moment.phase))
    onKill?.(report)
  }
}

type Plan = Readonly<{ crash: ChildJob['crash'] | null; kill: Kill | null }>
const undisturbed: Plan = { crash: null, kill: null }

/** Chooses a random kill, or one of the points with the fewest kills. */
function choose(random: Random, report: CampaignReport): Plan {
  const { byPoint } = report
  if (random.chance(atRandomRatio)) return { crash: null, kill: atRandom(random, report) }
  const least = Math.min(...names.map((name) => byPoint[name] ?? 0))
  const [name] = shuffled(
    names.filter((each) => (byPoint[each] ?? 0) === least),
    random,
  )
  assert(name)
  return { crash: { name, hit: random.whole(1, pipelinePoints[name] ?? 1) }, kill: null }
}

/** A random moment in the phase with the fewest kills. The process is killed within seconds in every phase. */
function atRandom(random: Random, { byPoint, phasesMs }: CampaignReport): Kill {
  const countOf = (phase: LifePhase) => byPoint[atRandomIn(phase)] ?? 0
  const least = Math.min(...lifePhases.map(countOf))
  const [phase = 'steady'] = shuffled(
    lifePhases.filter((each) => countOf(each) === least),
    random,
  )
  const lengthMs = phase === 'steady' ? steadyMsMax : (medianOf(phasesMs[phase]) ?? phaseMsGuess[phase])
  return { phase, afterMs: random.whole(0, Math.ceil(lengthMs)), stopAfterMs: random.whole(0, steadyMsMax) }
}

export const atRandomIn = (phase: LifePhase): string => `at random, ${phase}`

const medianOf = (values: readonly number[]): number | undefined =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)]

type Finished = Readonly<{ root: string; calm: Folder; expected: Contents }>

/**
 * Kills a rebuild of the tables between two table exchanges. The answers must stay as before, and a further
 * rebuild must complete the tables.
 */
async function killRebuilds({ root, calm, expected }: Finished, count: number, report: CampaignReport): Promise<void> {
  for (let hit = 1; hit <= count; hit++) {
    const dataDir = join(root, `rebuild-${hit}`)
    cpSync(calm.dataDir, dataDir, { recursive: true })
    const run = { ...calm, dataDir }
    const { ending } = await runChild({ ...run, job: 'rebuild', crash: { name: 'rebuild-exchanged', hit } })
    if (ending === 'killed') countKill(report, 'rebuild-exchanged')
    const midway = differences(expected, await contentsOf(run))
    report.mismatches.push(...midway.map((text) => `rebuild killed at exchange ${hit}: ${text}`))
    await runChild({ ...run, job: 'rebuild' })
    const found = differences(expected, await contentsOf(run))
    report.mismatches.push(...found.map((text) => `rebuilt after a kill at exchange ${hit}: ${text}`))
    rmSync(dataDir, { recursive: true })
  }
}
