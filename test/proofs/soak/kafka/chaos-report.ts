/** The faults of the workers, the points of the kills, and the mismatches that were found. */
export type ChaosReport = {
  rounds: number
  sessions: number
  /** The number of kills by named point, or by what the worker was doing. */
  byPoint: Record<string, number>
  /** The number of other faults. */
  byFault: Record<string, number>
  /** The time from the end of a round's faults until all its facts are derived. */
  recoveriesMs: number[]
  /** One sentence per mismatch. */
  mismatches: string[]
}

export const createChaosReport = (): ChaosReport => ({
  rounds: 0,
  sessions: 0,
  byPoint: {},
  byFault: {},
  recoveriesMs: [],
  mismatches: [],
})

export function countIn(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

/** A text with the histogram of kills and the recovery times. */
export function describeChaos({ rounds, sessions, byPoint, byFault, recoveriesMs, mismatches }: ChaosReport): string {
  const kills = Object.values(byPoint).reduce((sum, count) => sum + count, 0)
  const sorted = [...recoveriesMs].sort((left, right) => left - right)
  const recoveryAt = (share: number) => ((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / 1000).toFixed(1)
  return [
    'what was done:',
    ...bars(byFault),
    `where the ${kills} kills fell:`,
    ...bars(byPoint),
    `from the end of the faults to worked off: median ${recoveryAt(0.5)} s, p90 ${recoveryAt(0.9)} s, longest ${recoveryAt(1)} s`,
    `${rounds} rounds in ${sessions} sessions: ${mismatches.length} mismatches`,
  ].join('\n')
}

const bars = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts)
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([name, count]) => `${String(count).padStart(5)}  ${name.padEnd(32)} ${'#'.repeat(count)}`)
