/**
 * Computes all bursts and graduations from the facts that the service knew at a given time. The results cover
 * all mints and are sorted from newest to oldest.
 */
import { anatomyOf, answerTo, type OracleAnatomy } from './anatomy.ts'
import { burstsOf, type OracleBurst } from './bursts.ts'
import { graduationOf, type OracleGraduation } from './graduations.ts'
import { gapsIn, type OracleGaps, type Span } from './missing.ts'
import { type OracleOutcome, outcomeOf } from './outcomes.ts'
import type { Rules } from './rules.ts'
import { type Known, type MintStory, tickAfter, tickOfSlot } from './stories.ts'

export type FoundBurst = OracleBurst &
  Readonly<{
    knownAtMs: number
    anatomy: (KnownAnatomy & Readonly<{ repeatBuyers: number | null }>) | null
    outcome: (OracleOutcome & Readonly<{ knownAtMs: number }>) | null
    gaps: OracleGaps | null
  }>
type KnownAnatomy = OracleAnatomy & Readonly<{ knownAtMs: number }>
/**
 * A graduation. `filledAtMs` is the time at which the newest value after the migration became known. Null:
 * there is no such value yet.
 */
export type FoundGraduation = OracleGraduation &
  Readonly<{ knownAtMs: number; filledAtMs: number | null; gaps: OracleGaps | null }>

export type Recount = Readonly<{
  bursts: readonly FoundBurst[]
  graduations: readonly FoundGraduation[]
}>

/** Computes the bursts and graduations. */
export function recount(known: Known, rules: Rules): Recount {
  const bursts: Seen[] = []
  const graduations: FoundGraduation[] = []
  for (const story of known.stories) {
    const found = burstsOf(story, rules)
    for (const burst of found) {
      const outcome = outcomeKnown(known, { story, burst }, rules)
      const seen = {
        ...burst,
        ...whenKnown(known, burst),
        anatomy: anatomyKnown(known, { story, burst }, rules),
        outcome,
      }
      bursts.push({ ...seen, gaps: gapsIn(known, story, spanOfBurst(seen, rules)) })
    }
    const graduation = graduationOf(story, found, rules)
    if (graduation === null) continue
    const gaps = gapsIn(known, story, spanOfGraduation(story, graduation, rules))
    const filledAtMs = filledAtOf(known, { story, graduation }, rules)
    graduations.push({ ...graduation, ...whenKnown(known, graduation), filledAtMs, gaps })
  }
  return { bursts: withRepeats(bursts, known, rules).sort(newestFirst), graduations: graduations.sort(newestFirst) }
}

type Seen = Omit<FoundBurst, 'anatomy'> & Readonly<{ anatomy: KnownAnatomy | null }>
type Subject = Readonly<{ story: MintStory; burst: OracleBurst }>

const knownAfter = (known: Known, atMs: number): number => tickAfter(known, atMs)?.knownAtMs ?? Number.NaN

function anatomyKnown(known: Known, { story, burst }: Subject, rules: Rules): KnownAnatomy | null {
  const anatomy = anatomyOf(story, burst, rules)
  const answeredAtMs = answerTo(story, burst)?.tick.knownAtMs ?? Number.NaN
  return (
    anatomy && { ...anatomy, knownAtMs: Math.max(answeredAtMs, knownAfter(known, burst.atMs + rules.anatomyDelayMs)) }
  )
}

function outcomeKnown(known: Known, { story, burst }: Subject, rules: Rules): FoundBurst['outcome'] {
  const outcome = outcomeOf(story, burst, rules)
  if (outcome?.completion) return { ...outcome, ...whenKnown(known, outcome.completion) }
  return outcome && { ...outcome, knownAtMs: knownAfter(known, burst.atMs + rules.outcomeMs) }
}

type Graduated = Readonly<{ story: MintStory; graduation: OracleGraduation }>

function filledAtOf(
  known: Known,
  { story: { migration }, graduation: { post } }: Graduated,
  rules: Rules,
): number | null {
  if (migration === null || post === null) return null
  const due = rules.postMinutes.filter((_, index) => post.rets[index] !== null)
  const marks = due.map((minutes) => knownAfter(known, migration.blockAtMs + minutes * 60_000))
  return Math.max(whenKnown(known, { slot: migration.blockNumber }).knownAtMs, ...marks)
}

/** Returns the time range whose trades affect a burst's row: the window, and after scoring also the outcome. */
function spanOfBurst({ atMs, outcome }: Pick<FoundBurst, 'atMs' | 'outcome'>, { windowMs, outcomeMs }: Rules): Span {
  const scoredToMs = outcome?.completion?.atMs ?? atMs + outcomeMs
  return { afterMs: atMs - windowMs, toMs: outcome === null ? atMs : scoredToMs }
}

const postMs = 15 * 60_000

/**
 * Returns the time range whose trades affect a graduation's row. It covers the path, the newest burst before
 * the graduation, and the returns in the pool.
 */
function spanOfGraduation(
  { launchAtMs, migration }: MintStory,
  { atMs, path, burst }: OracleGraduation,
  { windowMs }: Rules,
): Span {
  const pathFromMs = atMs - (path[0]?.[0] ?? 0) * 1000
  const burstAfterMs = burst === null ? (launchAtMs ?? Infinity) : burst.atMs - windowMs
  const toMs = migration === null ? atMs : migration.blockAtMs + postMs
  return { afterMs: Math.min(pathFromMs - 1, burstAfterMs), toMs }
}

/**
 * Returns the time at which a slot became known. The facts of a slot come before the tick that ends the slot,
 * so the tick exists.
 */
const whenKnown = (known: Known, { slot }: Readonly<{ slot: number }>) => ({
  knownAtMs: tickOfSlot(known, slot)?.knownAtMs ?? Number.NaN,
})

type Dated = Readonly<{ atMs: number; mint: string }>
const newestFirst = (one: Dated, other: Dated): number =>
  other.atMs - one.atMs || (one.mint < other.mint ? -1 : one.mint > other.mint ? 1 : 0)

const [lateAfterMs, waitMs] = [120_000, 60_000]

/**
 * Adds the repeat buyers to bursts. A buyer repeats if it also bought in an earlier burst that counts. An
 * earlier burst counts if it became known late, or if its buyers were known at most one minute after this
 * burst's buyers. Null: the buyers of an earlier burst that may count are not known yet.
 */
function withRepeats(
  bursts: readonly Seen[],
  { cutAtMs, stories, tick }: Known,
  { graduatedLifeMs }: Rules,
): FoundBurst[] {
  const forgotten = new Set(
    stories.flatMap(({ mint, completion }) =>
      completion !== null && completion.atMs + graduatedLifeMs < (tick?.blockAtMs ?? 0) ? [mint] : [],
    ),
  )
  const isLate = ({ atMs, knownAtMs }: Seen) => knownAtMs > atMs + lateAfterMs
  return bursts.map((burst) => {
    const { atMs, anatomy } = burst
    if (anatomy === null) return { ...burst, anatomy: null }
    const toMs = anatomy.knownAtMs + waitMs
    const earlier = bursts.filter((other) => other.atMs < atMs)
    const isWaitedFor = (other: Seen) =>
      other.anatomy === null && !forgotten.has(other.mint) && (isLate(other) || cutAtMs < toMs)
    if (earlier.some(isWaitedFor)) return { ...burst, anatomy: { ...anatomy, repeatBuyers: null } }
    const counted = earlier.filter((other) => isLate(other) || (other.anatomy?.knownAtMs ?? Infinity) <= toMs)
    const repeats = [...anatomy.wallets].filter((wallet) => counted.some((other) => other.anatomy?.wallets.has(wallet)))
    return { ...burst, anatomy: { ...anatomy, repeatBuyers: repeats.length } }
  })
}
