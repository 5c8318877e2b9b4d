/** One way to measure: each contender once without being counted, then turn by turn, so that a slow spell of the machine hits all of them. */

export type Contender = Readonly<{ name: string; run: () => Promise<Spent> }>

/** Of one run, whatever it had to prepare left out. `cpuMs` is that of all threads, the garbage collector's too. */
export type Spent = Readonly<{ wallMs: number; cpuMs: number }>

export async function spent(work: () => Promise<void>): Promise<Spent> {
  const cpuBefore = process.cpuUsage()
  const startedAtMs = performance.now()
  await work()
  const wallMs = performance.now() - startedAtMs
  const { user, system } = process.cpuUsage(cpuBefore)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

/** Medians: units a second by the clock, and seconds of CPU for a million units, which a busy machine bends less. */
export type Measured = Readonly<{ perSecond: number; cpuSecondsPerMillion: number }>

/** Runs the rounds, prints a line for each contender and returns what was measured, in their order. */
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
