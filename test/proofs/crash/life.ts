/**
 * Follows the phases of a child process from its standard output, and describes when the processes were
 * killed.
 */

/**
 * `start`: until log and tables are open. `catch-up`: until the records from earlier runs are processed.
 * `steady`: until SIGTERM or the end of the span. `shutdown`: after `steady`.
 */
export const lifePhases = ['start', 'catch-up', 'steady', 'shutdown'] as const
export type LifePhase = (typeof lifePhases)[number]

/** The moment at which a process ended. */
export type Moment = Readonly<{
  phase: LifePhase
  ageMs: number
  /**
   * The share of the span's facts that were appended and processed when the process ended, from 0 to 1. It
   * counts the work of all processes of the run.
   */
  spanShare: number
}>

/** The words that a child prints at the end of each phase, except for the last one. */
export const phaseEnds = { opened: 'catch-up', running: 'steady', stopping: 'shutdown' } as const
export const spanShareWord = 'share'

export type LifeWatch = Readonly<{
  hear(text: string): void
  moment(): Moment
  /** The durations of the phases that have ended. */
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

/** Three histograms of kills: by phase, by age of the process, and by share of the span. */
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
