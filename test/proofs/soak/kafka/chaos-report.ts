/** What was done to the workers, where it struck them, and what was found afterwards. */
export type ChaosReport = {
  rounds: number
  sessions: number
  /** Kills by where they fell: a named point, or what the killed one was doing. */
  byPoint: Record<string, number>
  /** What else was done. */
  byFault: Record<string, number>
  /** From the end of a round's faults until all that was fed by then is derived. */
  recoveriesMs: number[]
  /** One sentence each. */
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

/** For a person: the histogram and the recoveries. */
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
