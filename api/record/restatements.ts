/** Keeps the newest corrections of all chains in memory, so that a request does not need its own query. */
import type { Correction, Corrections } from '../../projections/corrections.ts'
import type { RowKey, Stage } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Answers } from '../sale/answers.ts'
import type { StreamPart } from '../stream-part.ts'

type CorrectedChain = Readonly<{
  wireName: string
  stage: Stage
  corrections: Corrections
  stream?: StreamPart
}>

/**
 * `cursor`: the place of the correction in the list, stable while the log is kept. `id`: the id of the
 * corrected row in answers, or null if rows of this type have no id.
 */
export type Restatement = Correction & Readonly<{ chain: string; id: string | null; cursor: string }>

export type Restatements = Readonly<{
  /** The list contains all corrections, of every chain, that were known at this instant. */
  untilMs: EpochMs
  /** The list may lack corrections that were known by this instant. Null if the list is complete. */
  missingUntilMs: EpochMs | null
  /** The listed corrections, oldest first. */
  listed: readonly Restatement[]
}>

const listedMax = 5000

type Sources = Readonly<{
  chains: readonly CorrectedChain[]
  answers: Pick<Answers, 'newestCut'>
  limit?: number
}>

/**
 * Returns a function that gives the corrections known at an instant. Each call reads only what became known
 * since the previous call. The function returns null while a chain has no data.
 */
export function createRestatements({ chains, answers, limit = listedMax }: Sources) {
  let kept: Restatements | null = null

  /**
   * Returns `atMs`, or the time up to which the data of every chain is complete if that is earlier. Returns
   * null while a chain has no data.
   */
  const completeAt = async (atMs: EpochMs): Promise<number | null> => {
    const newest = await answers.newestCut(chains.map(({ stage }) => stage))
    return newest === null ? null : Math.min(newest.atMs, atMs)
  }
  const readOn = async (before: Restatements | null, untilMs: EpochMs): Promise<Restatements> => {
    const known = { afterMs: before?.untilMs ?? 0, toMs: untilMs }
    const found = await Promise.all(
      chains.map(async ({ corrections, wireName, stream }) => {
        const corrected = await corrections.knownIn(known, limit)
        const identified = corrected.map((one) => ({ ...one, chain: wireName, id: idOf(one, stream) }))
        return newestWhole(identified, corrected.length < limit)
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
  return async (atMs: EpochMs): Promise<Restatements | null> => {
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

/**
 * Adds cursors. Corrections with the same `knownAtMs` keep the order of the chains and their logs. So a
 * cursor that is computed again has the same value.
 */
function withCursors<One extends Readonly<{ knownAtMs: EpochMs }>>(ordered: readonly One[]) {
  let knownAtMs = 0
  let ofInstant = 0
  return ordered.map((one) => {
    ofInstant = one.knownAtMs === knownAtMs ? ofInstant + 1 : 1
    knownAtMs = one.knownAtMs
    return { ...one, cursor: `${knownAtMs}-${ofInstant}` }
  })
}

/**
 * Removes the entries of the first instant if entries are missing (`isAll` is false), because entries of this
 * instant may be missing too. A cursor counts the entries of its instant, so an incomplete instant would give
 * wrong cursors. An instant that is the only one is kept. `leftOutMs`: entries up to this instant may be
 * missing, or 0 if no entries are missing.
 */
function newestWhole<One extends Readonly<{ knownAtMs: EpochMs }>>(newest: readonly One[], isAll: boolean) {
  const firstMs = newest[0]?.knownAtMs ?? 0
  if (isAll) return { whole: newest, leftOutMs: 0 }
  const whole = newest.filter(({ knownAtMs }) => knownAtMs !== firstMs)
  return { whole: whole.length > 0 ? whole : newest, leftOutMs: firstMs }
}

/** Returns the corrections after the cursor, or all for an empty cursor. */
export function listedAfter({ listed }: Restatements, cursor: string): readonly Restatement[] {
  if (cursor === '') return listed
  const [knownAtMs = 0, ofInstant = 0] = cursor.split('-').map(Number)
  return listed.filter((one) => {
    const [itsKnownAtMs = 0, itsPlace = 0] = one.cursor.split('-').map(Number)
    return itsKnownAtMs > knownAtMs || (itsKnownAtMs === knownAtMs && itsPlace > ofInstant)
  })
}
