/**
 * Derives the signals of a stage under other rules, over one range of the log, and compares them with the
 * signals in the log.
 */
import type { SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { LogReader } from '../../infra/log/log.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { RowVersions } from '../runtime/restatement/row-versions.ts'
import type { RunnableStage } from '../runtime/runnable-stage.ts'
import { createStageCodecs } from '../runtime/stage-codecs.ts'
import type { ComparedKind, Signal } from '../signals.ts'
import { compareRuns, type GroupCompared, type Span } from './comparison.ts'
import { deriveAgain } from './derive-again.ts'
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
  spans: readonly Span[]
  /** Only signals that meet all conditions are compared. Default: all signals are compared. */
  where?: readonly Condition[]
  onProgress?: (reached: Readonly<{ partition: number; knownAtMs: EpochMs; records: number }>) => void
  signal?: AbortSignal
}>

export type BacktestResult = Readonly<{
  groups: readonly GroupCompared[]
  /**
   * A check of the backtest itself. `recorded` is the number of signals in the log. `again` is the number of
   * signals that the standard rules produce from the same facts. `same` is the number of signals in both. If
   * the numbers differ, the cause may also change the result of the other rules.
   */
  control: Readonly<{ recorded: number; again: number; same: number }>
}>

/**
 * Runs the backtest one partition after the other. Each token is in exactly one partition, so no comparison
 * needs two partitions.
 */
export async function backtestStage(backtest: Backtest): Promise<BacktestResult> {
  const { open, standard, other, range, warmUpFromMs, spans, where = [], onProgress, signal } = backtest
  const { stage } = standard.runnable
  const { factCodec, derivedCodec } = await createStageCodecs(standard.runnable, open.registry)
  const types = typesOf(standard.kinds)
  const found: Readonly<Record<'recorded' | 'again' | 'replayed', Signal[]>> = { recorded: [], again: [], replayed: [] }
  const signalsIn = (rows: RowVersions | undefined, { kinds }: RunOfStage) =>
    rows === undefined ? [] : signalsOf(stage, rows, { kinds, range })
  for (let partition = 0; partition < stage.factTopic.partitionCount; partition++) {
    const shared = { log: open.log, partition, types, ...(signal && { signal }) }
    const recorded = await recordedRows(stage, { ...shared, derivedCodec, range })
    const [again, replayed] = await deriveAgain([standard.runnable, other.runnable], {
      ...{ ...shared, factCodec, range: { fromMs: warmUpFromMs, toMs: range.toMs } },
      onProgress: (reached) => onProgress?.({ partition, ...reached }),
    })
    found.recorded.push(...signalsIn(recorded, standard))
    found.again.push(...signalsIn(again, standard))
    found.replayed.push(...signalsIn(replayed, other))
  }
  return {
    groups: compareRuns(found, other.kinds, { spans, where }),
    control: controlOf(found.recorded, found.again),
  }
}

function controlOf(recorded: readonly Signal[], again: readonly Signal[]): BacktestResult['control'] {
  const ids = new Set(again.map(({ id }) => id))
  const same = recorded.filter(({ id }) => ids.has(id)).length
  return { recorded: recorded.length, again: again.length, same }
}
