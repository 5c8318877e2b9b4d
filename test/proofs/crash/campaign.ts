/**
 * Kills the pipeline again and again on its way through a span, and holds what it has at the end against a run that
 * nobody disturbed; then the same span anew, until there were enough kills.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrashPointName } from '../../../infra/crash-points.ts'
import { createRandom, type Random, shuffled } from '../../../ingest/simulated/random.ts'
import { type CampaignReport, countKill, createReport } from './campaign-report.ts'
import { type Contents, differences } from './contents.ts'
import { type ChildJob, contentsOf, type Kill, runChild } from './killer.ts'
import { playPayments } from './payments.ts'
import { playRetention } from './retention.ts'

/** On the way of facts to the tables. How often a step of the span passes one decides how many passes are let go. */
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

/** All that a campaign strikes at, whatever it is asked for besides. */
export const campaignPoints: readonly CrashPointName[] = [...names, 'rebuild-exchanged', 'retention-days-forgotten']

/** Of all kills; the others come at named points. */
const atRandomRatio = 0.35
/** Most of them while it works; some while it starts and recovers. */
const fromStartRatio = 0.25
const fromStartMsMax = 2_500
const fromRunningMsMax = 1_200

type Folder = Pick<ChildJob, 'dataDir' | 'span'>

/** A run that nobody disturbed. */
export type Calm = Readonly<{ folder: Folder; contents: Contents }>

export async function runCalm(folder: Folder): Promise<Calm> {
  await runChild({ ...folder, job: 'run' })
  return { folder, contents: await contentsOf(folder) }
}

export type CampaignOptions = Readonly<{
  killCount: number
  seed: number
  calm: Calm
  /** Rebuilds, retention and each point of payments are killed this often, within `killCount`. */
  sideKillCount: number
  paymentPoints: readonly CrashPointName[]
  onRun?: (report: CampaignReport) => void
}>

/** Fails with `program_failed` when a restarted process cannot go on. */
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
      await killUntilThrough({ ...calm, dataDir }, { random, report, killCount: onTheWay })
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

type Killing = Readonly<{ random: Random; report: CampaignReport; killCount: number }>

async function killUntilThrough(run: Folder, { random, report, killCount }: Killing): Promise<void> {
  for (;;) {
    const { crash, kill } = report.kills < killCount ? choose(random, report) : undisturbed
    const { ending, restartMs } = await runChild({ ...run, job: 'run', ...(crash && { crash }) }, { kill })
    if (restartMs !== null) report.restartsMs.push(restartMs)
    if (ending === 'done') return
    countKill(report, crash?.name ?? 'at random')
  }
}

type Plan = Readonly<{ crash: ChildJob['crash'] | null; kill: Kill | null }>
const undisturbed: Plan = { crash: null, kill: null }

/** A time, or the point that was struck least so far. */
function choose(random: Random, { byPoint }: CampaignReport): Plan {
  if (random.chance(atRandomRatio)) return { crash: null, kill: atRandom(random) }
  const least = Math.min(...names.map((name) => byPoint[name] ?? 0))
  const [name] = shuffled(
    names.filter((each) => (byPoint[each] ?? 0) === least),
    random,
  )
  assert(name)
  return { crash: { name, hit: random.whole(1, pipelinePoints[name] ?? 1) }, kill: null }
}

const atRandom = (random: Random): Kill =>
  random.chance(fromStartRatio)
    ? { from: 'start', afterMs: random.whole(100, fromStartMsMax) }
    : { from: 'running', afterMs: random.whole(0, fromRunningMsMax) }

type Finished = Readonly<{ root: string; calm: Folder; expected: Contents }>

/** Killed between two exchanges the tables answer as before, and another rebuild makes them whole. */
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
