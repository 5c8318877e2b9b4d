import type { Outcome } from './killer.ts'
import { type LifePhase, lifePhases, type Moment } from './life.ts'

export type CampaignReport = {
  kills: number
  runs: number
  /** Kills by named point, and at random by phase. */
  byPoint: Record<string, number>
  /** Where each kill on the way of facts to the tables came. */
  moments: Moment[]
  /** How long each phase of a life took, where it came to its end. */
  phasesMs: Record<LifePhase, number[]>
  restartsMs: number[]
  /** One sentence each. */
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

/** What a process of the pipeline lived through. */
export function countLife(report: CampaignReport, { ending, moment, phasesMs }: Outcome): void {
  if (ending === 'killed') report.moments.push(moment)
  for (const phase of lifePhases) {
    const durationMs = phasesMs[phase]
    if (durationMs !== undefined) report.phasesMs[phase].push(durationMs)
  }
  const { start, 'catch-up': catchUp } = phasesMs
  if (start !== undefined && catchUp !== undefined) report.restartsMs.push(start + catchUp)
}

/** A sentence for each of the points that fewer kills struck than that. */
export const spared = (
  { byPoint }: Pick<CampaignReport, 'byPoint'>,
  points: readonly string[],
  countMin: number,
): string[] =>
  points
    .filter((name) => (byPoint[name] ?? 0) < countMin)
    .map((name) => `${name} was hit ${byPoint[name] ?? 0} times, not ${countMin}`)
