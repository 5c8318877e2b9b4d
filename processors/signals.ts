/** The types that describe the signals of a stage, so that a backtest can compare two runs. Each stage defines its own kinds. */
import type { StageRecord } from '../schemas/stage.ts'
import type { EpochMs } from '../schemas/units.ts'

/**
 * `groupOf` is a method, because TypeScript compares the parameters of methods loosely. One list can then have kinds with different record
 * types.
 */
export type ComparedKind = {
  /** The name in reports, such as `bursts`. */
  readonly name: string
  /** The record type of the signal. */
  readonly signal: string
  /** The record type of the outcome, which has the same key. Null: the signal itself contains the outcome. */
  readonly outcome: string | null
  /** The group in which a signal is counted, such as a tier or a lane. */
  groupOf(signal: StageRecord['data']): string
  /** The returns of an outcome. A value is null if it is unknown or does not apply. */
  readonly returns: readonly SignalReturn[]
  /** The lookups about the signal. A signal that fires only under other rules may have no answer, because the service never asked. */
  readonly lookups: readonly SignalLookup[]
}

type SignalReturn = Readonly<{
  name: string
  of: (outcome: never) => number | null
  /** The costs that are already deducted from the return, as a ratio: 0.05 is 5 %. 0: no costs are deducted. */
  costs: number
}>

export type SignalValue = string | number

/**
 * `values` are the words that the field can contain. Null: the field is a number. `of` reads the field from an answer. It returns null if
 * the answer has no value.
 */
type LookupField = Readonly<{ values: readonly string[] | null; of: (answer: never) => SignalValue | null }>

type SignalLookup = Readonly<{
  name: string
  /** The record type of the answer, which has the same key as the signal. */
  record: string
  /** Returns whether the record shows that the lookup got no answer. */
  isEmpty: (answer: never) => boolean
  /** The fields that `--where` can name. A name has one meaning in all kinds. */
  fields: Readonly<Record<string, LookupField>>
}>

/** One signal of a run. Signals of both runs with equal ids are the same signal. */
export type Signal = Readonly<{
  id: string
  kind: string
  group: string
  token: string
  /** The token and the row name. Other rules may fire a signal of the same source up to `movedMsMax` earlier or later. */
  source: string
  atMs: EpochMs
  /** The returns of the signal, by name. Null: there is no outcome yet. */
  returns: Readonly<Record<string, number | null>> | null
  /** The lookups whose answer is not in the log. */
  lacks: readonly string[]
  /** The values of the answers, by field. */
  said: Readonly<Record<string, SignalValue | null>>
}>
