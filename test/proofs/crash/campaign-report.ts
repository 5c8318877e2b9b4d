import type { CrashPointName } from '../../../infra/crash-points.ts'

export type CampaignReport = {
  kills: number
  runs: number
  /** Kills by named point, and `at random`. */
  byPoint: Record<string, number>
  restartsMs: number[]
  /** One sentence each. */
  mismatches: string[]
}

export const createReport = (): CampaignReport => ({ kills: 0, runs: 0, byPoint: {}, restartsMs: [], mismatches: [] })

export function countKill(report: CampaignReport, name: string): void {
  report.kills++
  report.byPoint[name] = (report.byPoint[name] ?? 0) + 1
}

/** A sentence for each of the points that fewer kills struck than that. */
export const spared = (
  { byPoint }: Pick<CampaignReport, 'byPoint'>,
  points: readonly CrashPointName[],
  countMin: number,
): string[] =>
  points
    .filter((name) => (byPoint[name] ?? 0) < countMin)
    .map((name) => `${name} was hit ${byPoint[name] ?? 0} times, not ${countMin}`)
