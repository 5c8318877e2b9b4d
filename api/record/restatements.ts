/** The newest corrections of all chains, kept in memory: what is asked for costs no query of its own, however many ask. */
import type { Correction, Corrections } from '../../projections/corrections.ts'
import type { RowKey, Stage } from '../../schemas/stage.ts'
import type { Answers } from '../sale/answers.ts'
import type { StreamPart } from '../stream-part.ts'

type CorrectedChain = Readonly<{
  wireName: string
  stage: Stage
  corrections: Corrections
  stream?: StreamPart
}>

/** `cursor`: its place among all, for as long as the log is kept. `id`: of the row in answers; null: they give it none. */
export type Restatement = Correction & Readonly<{ chain: string; id: string | null; cursor: string }>

export type Restatements = Readonly<{
  /** All that was known by then of all chains. */
  untilMs: number
  /** What was corrected by then, and is not listed; null: nothing. */
  missingUntilMs: number | null
  /** Oldest first. */
  listed: readonly Restatement[]
}>

const listedMax = 5000

type Sources = Readonly<{
  chains: readonly CorrectedChain[]
  answers: Pick<Answers, 'newestCut'>
  limit?: number
}>

/** Reads on from where it was. Null: one of the chains was not known yet. */
export function createRestatements({ chains, answers, limit = listedMax }: Sources) {
  let kept: Restatements | null = null

  /** The instant that every chain has passed, no later than the one asked for. */
  const completeAt = async (atMs: number): Promise<number | null> => {
    const newest = await answers.newestCut(chains.map(({ stage }) => stage))
    return newest === null ? null : Math.min(newest.atMs, atMs)
  }
  const readOn = async (before: Restatements | null, untilMs: number): Promise<Restatements> => {
    const known = { afterMs: before?.untilMs ?? 0, toMs: untilMs }
    const found = await Promise.all(
      chains.map(async ({ corrections, wireName, stream }) => {
        const corrected = await corrections.knownIn(known, limit)
        const told = corrected.map((one) => ({ ...one, chain: wireName, id: idOf(one, stream) }))
        return newestWhole(told, corrected.length < limit)
      }),
    )
    const ordered = found.flatMap(({ whole }) => whole).sort((left, right) => left.knownAtMs - right.knownAtMs)
    const all = [...(before?.listed ?? []), ...withCursors(ordered)]
    const missing = await Promise.all(chains.map(({ corrections }) => corrections.missingUntilMs()))
    const { whole: listed, leftOutMs } = newestWhole(all.slice(-limit), all.length <= limit)
    const unlisted = [...found.map((one) => one.leftOutMs), leftOutMs, all.at(-limit - 1)?.knownAtMs ?? 0]
    const missingUntilMs = Math.max(before?.missingUntilMs ?? 0, ...unlisted, ...missing)
    return { untilMs, missingUntilMs: missingUntilMs === 0 ? null : missingUntilMs, listed }
  }
  return async (atMs: number): Promise<Restatements | null> => {
    const untilMs = await completeAt(atMs)
    if (untilMs === null) return null
    if (kept === null || kept.untilMs < untilMs) kept = await readOn(kept, untilMs)
    return kept
  }
}

function idOf({ recordType, token, key, atMs }: Correction, stream: StreamPart | undefined): string | null {
  const rows = stream?.rows.find((one) => one.recordType === recordType)
  const named = { recordType, ...key, atMs } as RowKey
  return rows === undefined || token === null ? null : rows.idOf(token, named)
}

/** The order of one instant is that of the chains and their logs, so it stays what it is. */
function withCursors<One extends Readonly<{ knownAtMs: number }>>(ordered: readonly One[]) {
  let knownAtMs = 0
  let ofInstant = 0
  return ordered.map((one) => {
    ofInstant = one.knownAtMs === knownAtMs ? ofInstant + 1 : 1
    knownAtMs = one.knownAtMs
    return { ...one, cursor: `${knownAtMs}-${ofInstant}` }
  })
}

/**
 * Places are counted within an instant, so the first one is left out where some of it may be missing, unless there is no other.
 * `leftOutMs`: up to when something is; 0: nothing is.
 */
function newestWhole<One extends Readonly<{ knownAtMs: number }>>(newest: readonly One[], isAll: boolean) {
  const firstMs = newest[0]?.knownAtMs ?? 0
  if (isAll) return { whole: newest, leftOutMs: 0 }
  const whole = newest.filter(({ knownAtMs }) => knownAtMs !== firstMs)
  return { whole: whole.length > 0 ? whole : newest, leftOutMs: firstMs }
}

/** The corrections behind the cursor; an empty cursor gives all. */
export function listedAfter({ listed }: Restatements, cursor: string): readonly Restatement[] {
  if (cursor === '') return listed
  const [knownAtMs = 0, ofInstant = 0] = cursor.split('-').map(Number)
  return listed.filter((one) => {
    const [itsKnownAtMs = 0, itsPlace = 0] = one.cursor.split('-').map(Number)
    return itsKnownAtMs > knownAtMs || (itsKnownAtMs === knownAtMs && itsPlace > ofInstant)
  })
}
