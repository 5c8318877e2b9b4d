/**
 * Compares two lists of signals: those recorded in the log, and those that other rules produce from the same
 * facts.
 */

import { type EpochMs, minuteMs } from '../../schemas/units.ts'
import type { ComparedKind, Signal } from '../signals.ts'
import { type Distribution, distributionOf } from './distribution.ts'
import { type Condition, fits, lookupsNeeded } from './where.ts'

/**
 * The maximum difference in time between two signals that count as one moved signal, in ms. Both must come
 * from the same source. Other rules may fire a signal a little earlier or later.
 */
export const movedMsMax = 10 * minuteMs

/**
 * The maximum share of signals that may lack the result of a lookup that a condition needs. It applies to the
 * recorded and to the replayed signals of each span. With a larger share, the remaining signals would be a
 * biased sample.
 */
export const lackShareMax = 0.05

/** A named time range `[fromMs, toMs)`. Only signals in this range are compared together. */
export type Span = Readonly<{ name: string; fromMs: EpochMs; toMs: EpochMs }>

export type ReturnsCompared = Readonly<{
  name: string
  costs: number
  recorded: Distribution
  replayed: Distribution
}>

export type SpanCompared = Readonly<{
  span: string
  recorded: number
  replayed: number
  /**
   * `same`: the number of recorded signals that the replay has at the same time. `moved`: the number of
   * recorded signals that the replay has at another time, at most ten minutes away.
   */
  same: number
  moved: number
  gained: number
  lost: number
  /** The number of replayed signals whose returns are not known yet at the end of the range. */
  pending: number
  returns: readonly ReturnsCompared[]
}>

export type LookupCompared = Readonly<{
  name: string
  /**
   * The shares of the replayed and of the recorded signals that lack the result of this lookup. Null if there
   * are no signals.
   */
  replayedLack: number | null
  recordedLack: number | null
}>

export type GroupCompared = Readonly<{
  kind: string
  group: string
  /** Empty if `refusedBy` is set. */
  spans: readonly SpanCompared[]
  /**
   * If in one of the spans too many signals lack the result of a lookup, the name of this lookup. The group is
   * then not compared. Otherwise null.
   */
  refusedBy: string | null
  /**
   * The first span with too large a share, and its shares. `span` is null if there is only one span. Null if the
   * group is compared.
   */
  refusedIn: Readonly<{ span: string | null; replayedLack: number | null; recordedLack: number | null }> | null
  lookups: readonly LookupCompared[]
}>

type Runs = Readonly<{ recorded: readonly Signal[]; replayed: readonly Signal[] }>

type ComparisonOptions = Readonly<{ spans: readonly Span[]; where: readonly Condition[] }>

/**
 * Compares the signals group by group. The result is ordered by kind of signal, then by the name of the
 * group. A kind is left out if a condition names a field that the kind lacks.
 */
export function compareRuns(
  runs: Runs,
  kinds: readonly ComparedKind[],
  options: ComparisonOptions,
): readonly GroupCompared[] {
  return kinds.flatMap((kind) => {
    const needed = lookupsNeeded(kind, options.where)
    if (needed === null) return []
    const of = (signals: readonly Signal[]) => signals.filter((signal) => signal.kind === kind.name)
    const [recorded, replayed] = [of(runs.recorded), of(runs.replayed)]
    const groups = [...new Set([...recorded, ...replayed].map(({ group }) => group))].sort()
    return groups.map((group) => {
      const inGroup = (signal: Signal) => signal.group === group
      const ofGroup = { recorded: recorded.filter(inGroup), replayed: replayed.filter(inGroup) }
      const lookups = kind.lookups.map(({ name }) => lacksOf(ofGroup, name))
      const [refusal] = needed.flatMap((name) => refusalsOf(ofGroup, name, options.spans))
      const { refusedBy, refusedIn } = refusal ?? { refusedBy: null, refusedIn: null }
      const chosen = {
        recorded: ofGroup.recorded.filter((signal) => fits(signal, options.where)),
        replayed: ofGroup.replayed.filter((signal) => fits(signal, options.where)),
      }
      const spans = refusedBy === null ? options.spans.map((span) => compareSpan(chosen, kind, span)) : []
      return { kind: kind.name, group, spans, refusedBy, refusedIn, lookups }
    })
  })
}

const inSpan = ({ recorded, replayed }: Runs, { fromMs, toMs }: Span): Runs => {
  const isWithin = ({ atMs }: Signal) => atMs >= fromMs && atMs < toMs
  return { recorded: recorded.filter(isWithin), replayed: replayed.filter(isWithin) }
}

/** Returns the spans in which too many signals lack the result of the lookup. */
const refusalsOf = (runs: Runs, lookup: string, spans: readonly Span[]) =>
  spans.flatMap((span) => {
    const { name, ...shares } = lacksOf(inSpan(runs, span), lookup)
    const isRefused = Math.max(shares.replayedLack ?? 0, shares.recordedLack ?? 0) > lackShareMax
    return isRefused ? [{ refusedBy: name, refusedIn: { span: spans.length > 1 ? span.name : null, ...shares } }] : []
  })

const lacksOf = ({ recorded, replayed }: Runs, name: string): LookupCompared => ({
  name,
  replayedLack: lackOf(replayed, name),
  recordedLack: lackOf(recorded, name),
})

function compareSpan(runs: Runs, kind: ComparedKind, span: Span): SpanCompared {
  const { recorded, replayed } = inSpan(runs, span)
  const { same, moved } = pairsOf(recorded, replayed)
  const valuesOf = (signals: readonly Signal[], returnName: string) =>
    signals.flatMap(({ token, returns }) => {
      const value = returns?.[returnName] ?? null
      return value === null ? [] : [{ token, value }]
    })
  return {
    ...{ span: span.name, recorded: recorded.length, replayed: replayed.length, same, moved },
    gained: replayed.length - same - moved,
    lost: recorded.length - same - moved,
    pending: replayed.filter(({ returns }) => returns === null).length,
    returns: kind.returns.map(({ name: returnName, costs }) => ({
      ...{ name: returnName, costs },
      recorded: distributionOf(valuesOf(recorded, returnName)),
      replayed: distributionOf(valuesOf(replayed, returnName)),
    })),
  }
}

/**
 * Counts the pairs of a recorded and a replayed signal. A signal is in at most one pair. Signals with equal
 * ids are paired first. Each other recorded signal is then paired with the nearest unpaired replayed signal
 * of the same source, in order of time.
 */
function pairsOf(recorded: readonly Signal[], replayed: readonly Signal[]): Readonly<{ same: number; moved: number }> {
  const replayedIds = new Set(replayed.map(({ id }) => id))
  const recordedIds = new Set(recorded.map(({ id }) => id))
  const alone = recorded.filter(({ id }) => !replayedIds.has(id))
  const others = new Map<string, Signal[]>()
  for (const signal of replayed)
    if (!recordedIds.has(signal.id)) others.set(signal.source, [...(others.get(signal.source) ?? []), signal])
  let moved = 0
  for (const { source, atMs } of alone.toSorted((left, right) => left.atMs - right.atMs)) {
    const near = others.get(source)
    const nearest = near?.reduce<Signal | null>((best, other) => nearer(best, other, atMs), null)
    if (!near || !nearest || Math.abs(nearest.atMs - atMs) > movedMsMax) continue
    near.splice(near.indexOf(nearest), 1)
    moved++
  }
  return { same: recorded.length - alone.length, moved }
}

const nearer = (best: Signal | null, other: Signal, atMs: EpochMs): Signal =>
  best === null || Math.abs(other.atMs - atMs) < Math.abs(best.atMs - atMs) ? other : best

const lackOf = (signals: readonly Signal[], lookup: string): number | null =>
  signals.length === 0 ? null : signals.filter(({ lacks }) => lacks.includes(lookup)).length / signals.length
