/**
 * Measures several programs (contenders) in rounds. Each contender runs one time to warm up. Then the
 * contenders take turns, so that a slow phase of the machine affects all of them.
 */

export type Contender = Readonly<{ name: string; run: () => Promise<Spent> }>

/** The times of one run without its preparation. `cpuMs` covers all threads and the garbage collector. */
export type Spent = Readonly<{ wallMs: number; cpuMs: number }>

export async function spent(work: () => Promise<void>): Promise<Spent> {
  const cpuBefore = process.cpuUsage()
  const startedAtMs = performance.now()
  await work()
  const wallMs = performance.now() - startedAtMs
  const { user, system } = process.cpuUsage(cpuBefore)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

/** The medians: units per second of wall time, and CPU seconds per million units. The CPU time depends less on the load of the machine. */
export type Measured = Readonly<{ perSecond: number; cpuSecondsPerMillion: number }>

/** Runs the rounds, prints a line for each contender, and returns the results in the same order. */
export async function compete(
  contenders: readonly Contender[],
  { rounds, units }: Readonly<{ rounds: number; units: number }>,
): Promise<readonly Measured[]> {
  const spents = contenders.map((): Spent[] => [])
  for (let round = 0; round <= rounds; round++)
    for (const [index, { run }] of contenders.entries()) {
      const result = await run()
      if (round > 0) spents[index]?.push(result)
    }
  return contenders.map(({ name }, index) => {
    const rates = (spents[index] ?? []).map(({ wallMs }) => (units / wallMs) * 1000).sort((a, b) => a - b)
    const cpuSecondsPerMillion = median((spents[index] ?? []).map(({ cpuMs }) => (cpuMs * 1000) / units))
    const [perSecond, slowest = Number.NaN, fastest = Number.NaN] = [median(rates), rates[0], rates.at(-1)]
    console.log(
      `  ${name.padEnd(22)}${count(perSecond).padStart(11)}/s   ${count(slowest)} to ${count(fastest)}   ${cpuSecondsPerMillion.toFixed(2)} CPU s per million`,
    )
    return { perSecond, cpuSecondsPerMillion }
  })
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

export const count = (value: number): string => Math.round(value).toLocaleString('en')
