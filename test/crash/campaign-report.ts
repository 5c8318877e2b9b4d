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
