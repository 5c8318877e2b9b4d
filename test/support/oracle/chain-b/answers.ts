/** Computes the bodies of chain B's routes at a cut time. Texts for people are left out. */
import type { FoundBurst, Recount } from './recount.ts'
import { burstRow, graduationRow } from './rows.ts'
import type { Rules } from './rules.ts'
import { medianOf, shareOf } from './statistics.ts'
import type { Known } from './stories.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** A placeholder for a text with any wording. */
export const anyText = Symbol('any text')
/** A placeholder for several named texts with any wording. */
export const anyTexts = Symbol('any texts')

export type Answers = Readonly<{
  burstsLive(minutes: number): object
  burstsHistory(hours: number): object
  gradsLive(minutes: number): object
  gradsHistory(hours: number, limit: number): object
  snapshot(minutes: number): object
}>

export function answersOf({ cutAtMs, tick }: Known, { bursts, graduations }: Recount, rules: Rules): Answers {
  if (tick === null) throw new TypeError(`nothing is known at ${cutAtMs}`)
  // The look-back counts from the newest complete slot, not from the cut time.
  const within =
    (lookBackMs: number) =>
    ({ atMs }: Readonly<{ atMs: number }>): boolean =>
      rules.isInLookBack(tick.blockAtMs - atMs, lookBackMs)
  const rowOf = (burst: FoundBurst) => burstRow(burst, rules)
  const common = {
    schemaVersion: 1,
    generatedAt: cutAtMs,
    ageSec: Math.floor((cutAtMs - tick.blockAtMs) / 1000),
  }
  const envelope = { chain: 'chainB', ...common }
  const priced = { ...envelope, solUsd: tick.ethUsd, rule: anyText }
  const isScored = ({ outcome }: FoundBurst) => outcome !== null

  return {
    burstsLive(minutes) {
      const rows = bursts.filter(within(minutes * minuteMs)).map(rowOf)
      if (rows.length > 0) return { ...priced, bursts: rows }
      const latest = bursts.find(within(dayMs))
      return { ...priced, bursts: [], note: anyText, latest: latest === undefined ? null : rowOf(latest) }
    },
    burstsHistory(hours) {
      const rows = bursts.filter(within(hours * 60 * minuteMs)).filter(isScored)
      return { ...priced, bursts: rows.map(rowOf) }
    },
    gradsLive(minutes) {
      const rows = graduations.filter(within(minutes * minuteMs))
      return { ...envelope, minutes, method: anyTexts, grads: rows.map(graduationRow) }
    },
    gradsHistory(hours, limit) {
      const rows = graduations.filter(within(hours * 60 * minuteMs)).map(graduationRow)
      const grads = rows.slice(0, Math.floor(limit))
      return { ...envelope, hours, method: anyTexts, grads, stats: statsOf(rows) }
    },
    snapshot(minutes) {
      const day = bursts.filter(within(dayMs))
      const scored = day.filter(isScored)
      const graduated = scored.filter(({ outcome }) => outcome?.completion)
      return {
        ...common,
        windowMin: Math.floor(minutes),
        chainB: {
          solUsd: tick.ethUsd,
          bursts: bursts.filter(within(minutes * minuteMs)).map(rowOf),
          last24h: { bursts: day.length, scored: scored.length, graduated: graduated.length },
        },
      }
    },
  }
}

function statsOf(rows: readonly ReturnType<typeof graduationRow>[]) {
  const afterBurst = rows.filter(({ burst }) => burst !== null).length
  const returnsOf = (name: 'ret1' | 'ret5' | 'ret15') => rows.map(({ post }) => post?.[name] ?? null).filter(isKnown)
  const last = returnsOf('ret15')
  return {
    n: rows.length,
    medianGradMin: medianOf(rows.map(({ gradMin }) => gradMin).filter(isKnown)),
    afterBurst,
    afterBurstShare: shareOf(afterBurst, rows.length),
    medianRet1: medianOf(returnsOf('ret1')),
    medianRet5: medianOf(returnsOf('ret5')),
    medianRet15: medianOf(last),
    upShare15: shareOf(last.filter((ret) => ret > 0).length, last.length),
  }
}

const isKnown = (value: number | null): value is number => value !== null
