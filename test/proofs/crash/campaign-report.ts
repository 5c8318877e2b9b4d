import type { Outcome } from './killer.ts'
import { type LifePhase, lifePhases, type Moment } from './life.ts'

export type CampaignReport = {
  kills: number
  runs: number
  /** The number of kills, by crash point and by phase of a random kill. */
  byPoint: Record<string, number>
  /** The moment of each kill of the pipeline. */
  moments: Moment[]
  /** The durations of each phase that ended. */
  phasesMs: Record<LifePhase, number[]>
  restartsMs: number[]
  /** One sentence per mismatch. */
  mismatches: string[]
}

export const createReport = (): CampaignReport => ({
  kills: 0,
  runs: 0,
  byPoint: {},
  moments: [],
  phasesMs: { start: [], 'catch-up': [], steady: [], shutdown: [] },
  restartsMs: [],
  mismatches: [],
})

export function countKill(report: CampaignReport, name: string): void {
  report.kills++
  report.byPoint[name] = (report.byPoint[name] ?? 0) + 1
}

/** Counts a process of the pipeline. */
export function countLife(report: CampaignReport, { ending, moment, phasesMs }: Outcome): void {
  if (ending === 'killed') report.moments.push(moment)
  for (const phase of lifePhases) {
    const durationMs = phasesMs[phase]
    if (durationMs !== undefined) report.phasesMs[phase].push(durationMs)
  }
  const { start, 'catch-up': catchUp } = phasesMs
  if (start !== undefined && catchUp !== undefined) report.restartsMs.push(start + catchUp)
}

/** One sentence for each point with fewer than `countMin` kills. */
export const spared = (
  { byPoint }: Pick<CampaignReport, 'byPoint'>,
  points: readonly string[],
  countMin: number,
): string[] =>
  points
    .filter((name) => (byPoint[name] ?? 0) < countMin)
    .map((name) => `${name} was hit ${byPoint[name] ?? 0} times, not ${countMin}`)
