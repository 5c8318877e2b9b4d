/**
 * Derives the signals of a stage under other rules, over one range of the log, and compares them with the
 * signals in the log.
 */
import { isDeepStrictEqual } from 'node:util'
import type { SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { LogReader } from '../../infra/log/log.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import type { RowVersions } from '../runtime/restatement/row-versions.ts'
import type { RunnableStage } from '../runtime/runnable-stage.ts'
import { createStageCodecs } from '../runtime/stage-codecs.ts'
import type { ComparedKind, Signal } from '../signals.ts'
import { compareRuns, type GroupCompared, type Span } from './comparison.ts'
import { deriveAgain } from './derive-again.ts'
import { KnownTimes } from './known-times.ts'
import type { KnownRange } from './read-known.ts'
import { recordedRows } from './recorded-rows.ts'
import { signalsOf, typesOf } from './signals-of.ts'
import type { Condition } from './where.ts'

/** A stage under one set of rules, and the kinds of signals to compare. */
export type RunOfStage = Readonly<{ runnable: RunnableStage<StageTypes>; kinds: readonly ComparedKind[] }>

export type Backtest = Readonly<{
  open: Readonly<{ log: LogReader; registry: SchemaRegistry }>
  /** The stage under the rules of this version of the service. */
  standard: RunOfStage
  /** The stage under the tested rules. */
  other: RunOfStage
  range: KnownRange
  /**
   * The time at which reading begins. It is before the range, because a signal in the range depends on
   * earlier facts of its token.
   */
  warmUpFromMs: EpochMs
  /** Signals that became known later than this after they fired are not compared. */
  knownWithinMs: DurationMs
  spans: readonly Span[]
  /** Only signals that meet all conditions are compared. Default: all signals are compared. */
  where?: readonly Condition[]
  onProgress?: (reached: Readonly<{ partition: number; knownAtMs: EpochMs; records: number }>) => void
  signal?: AbortSignal
}>

export type BacktestResult = Readonly<{
  groups: readonly GroupCompared[]
  /**
   * The numbers of signals that became known more than `knownWithinMs` after they fired. Nobody could have
   * traded on them, so they are neither in `groups` nor in `control`.
   */
  late: Readonly<{ recorded: number; replayed: number; knownWithinMs: DurationMs }>
  /**
   * A check of the backtest itself. `recorded` is the number of signals in the log. `again` is the number of
   * signals that the standard rules produce from the same facts. `same` is the number of signals in both with
   * the same group, returns and answers of lookups. Without its earlier facts, a signal can fire at the same time
   * with other returns. If the numbers differ, the cause may also change the result of the other rules.
   */
  control: Readonly<{ recorded: number; again: number; same: number }>
}>

/**
 * Runs the backtest one partition after the other. Each token is in exactly one partition, so no comparison
 * needs two partitions.
 */
export async function backtestStage(backtest: Backtest): Promise<BacktestResult> {
  const { open, standard, other, range, warmUpFromMs, knownWithinMs, spans, where = [], onProgress, signal } = backtest
  const { stage } = standard.runnable
  const { factCodec, derivedCodec } = await createStageCodecs(standard.runnable, open.registry)
  const types = typesOf(standard.kinds)
  const found: Readonly<Record<'recorded' | 'again' | 'replayed', Signal[]>> = { recorded: [], again: [], replayed: [] }
  for (let partition = 0; partition < stage.factTopic.partitionCount; partition++) {
    const known = new KnownTimes(stage, [...standard.kinds, ...other.kinds])
    const signalsIn = (rows: RowVersions | undefined, { kinds }: RunOfStage) =>
      rows === undefined ? [] : signalsOf(stage, rows, { kinds, range, known })
    const shared = { log: open.log, partition, types, known, ...(signal && { signal }) }
    const recorded = await recordedRows(stage, { ...shared, derivedCodec, range })
    const [again, replayed] = await deriveAgain([standard.runnable, other.runnable], {
      ...{ ...shared, factCodec, range: { fromMs: warmUpFromMs, toMs: range.toMs } },
      onProgress: (reached) => onProgress?.({ partition, ...reached }),
    })
    found.recorded.push(...signalsIn(recorded, standard))
    found.again.push(...signalsIn(again, standard))
    found.replayed.push(...signalsIn(replayed, other))
  }
  const isInTime = ({ atMs, knownAtMs }: Signal) => knownAtMs === null || knownAtMs - atMs <= knownWithinMs
  const inTime = { recorded: found.recorded.filter(isInTime), replayed: found.replayed.filter(isInTime) }
  return {
    groups: compareRuns(inTime, other.kinds, { spans, where }),
    late: {
      recorded: found.recorded.length - inTime.recorded.length,
      replayed: found.replayed.length - inTime.replayed.length,
      knownWithinMs,
    },
    control: controlOf(inTime.recorded, found.again.filter(isInTime)),
  }
}

function controlOf(recorded: readonly Signal[], again: readonly Signal[]): BacktestResult['control'] {
  const byId = new Map(again.map((signal) => [signal.id, signal]))
  const same = recorded.filter((signal) => isDeepStrictEqual(contentOf(signal), contentOf(byId.get(signal.id)))).length
  return { recorded: recorded.length, again: again.length, same }
}

const contentOf = (signal: Signal | undefined) => signal && [signal.group, signal.returns, signal.values, signal.lacks]
