/** A child's life, from what it says on standard output, and where in it the kills of a campaign came. */

/** `start`: until log and tables are open. `catch-up`: until all that stood is worked off. `shutdown`: from SIGTERM, or from the end of the span. */
export const lifePhases = ['start', 'catch-up', 'steady', 'shutdown'] as const
export type LifePhase = (typeof lifePhases)[number]

/** Where a process was when it ended. */
export type Moment = Readonly<{
  phase: LifePhase
  ageMs: number
  /** How much of the span was in the log and worked off, from 0 to 1, over all processes of the run. */
  spanShare: number
}>

/** What a child writes at the end of each phase but the last. */
export const phaseEnds = { opened: 'catch-up', running: 'steady', stopping: 'shutdown' } as const
export const spanShareWord = 'share'

export type LifeWatch = Readonly<{
  hear(text: string): void
  moment(): Moment
  /** How long each phase took that has ended. */
  durationsMs(): Readonly<Partial<Record<LifePhase, number>>>
}>

export function createLifeWatch(nowMs: () => number, onPhase: (phase: LifePhase) => void): LifeWatch {
  const startedAtMs = nowMs()
  const durationsMs: Partial<Record<LifePhase, number>> = {}
  let phase: LifePhase = 'start'
  let phaseAtMs = startedAtMs
  let spanShare = 0
  let rest = ''
  const enter = (next: LifePhase) => {
    durationsMs[phase] = nowMs() - phaseAtMs
    phase = next
    phaseAtMs = nowMs()
    onPhase(next)
  }
  return {
    hear(text) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [word = '', value] = line.split(' ')
        if (word === spanShareWord) spanShare = Number(value)
        else if (word in phaseEnds) enter(phaseEnds[word as keyof typeof phaseEnds])
        else if (phase === 'shutdown') durationsMs.shutdown = nowMs() - phaseAtMs
      }
    },
    moment: () => ({ phase, ageMs: nowMs() - startedAtMs, spanShare }),
    durationsMs: () => durationsMs,
  }
}

const ageLimitsMs = [500, 1000, 2000, 4000, 8000]
const tenths = Array.from({ length: 10 }, (_, index) => index / 10)

/** Three histograms: by phase, by the age of the process, by how much of the span was done. */
export function describeMoments(moments: readonly Moment[]): string[] {
  const rows = (title: string, bins: readonly (readonly [string, (moment: Moment) => boolean])[]) => [
    `killed ${title}`,
    ...bins.map(([name, isIn]) => {
      const count = moments.filter(isIn).length
      return `${String(count).padStart(5)}  ${name.padEnd(10)} ${'#'.repeat(Math.ceil((60 * count) / moments.length))}`.trimEnd()
    }),
  ]
  return [
    ...rows(
      'in the phase',
      lifePhases.map((phase) => [phase, (moment) => moment.phase === phase]),
    ),
    ...rows(
      'at the age of',
      [0, ...ageLimitsMs].map((fromMs, index) => {
        const untilMs = ageLimitsMs[index] ?? Number.POSITIVE_INFINITY
        const name = ageLimitsMs[index] === undefined ? `${fromMs} ms and more` : `under ${untilMs} ms`
        return [name, ({ ageMs }) => ageMs >= fromMs && ageMs < untilMs]
      }),
    ),
    ...rows(
      'with so much of the span done',
      tenths.map((from) => {
        const isIn = ({ spanShare }: Moment) => spanShare >= from && (spanShare < from + 0.1 || from === 0.9)
        return [`${Math.round(100 * from)} to ${Math.round(100 * from) + 10} %`, isIn]
      }),
    ),
  ]
}
