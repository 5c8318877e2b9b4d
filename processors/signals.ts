/**
 * The types with which a backtest compares the signals of two runs. A signal is a record that a rule emits,
 * such as a burst. Each stage defines its own kinds of signals.
 */
import type { StageRecord } from '../schemas/stage.ts'
import type { EpochMs } from '../schemas/units.ts'

/**
 * Describes one kind of signal. `groupOf` is a method, because TypeScript compares the parameters of methods
 * less strictly. So one list can hold kinds with different record types.
 */
export type ComparedKind = {
  /** The name in reports, such as `bursts`. */
  readonly name: string
  /** The record type of the signal. */
  readonly signal: string
  /**
   * The record type of the outcome (the result of a signal), which has the same key as the signal. Null: the
   * signal itself contains the outcome.
   */
  readonly outcome: string | null
  /**
   * The record by which the service knows the signal. It has the same key as the signal. A signal that contains
   * its own outcome is published only after the outcome, so another record must tell of it.
   */
  readonly knownBy: Readonly<{
    type: string
    /** If the record is a fact, returns the name and the time in the key of the signal. Otherwise null. */
    factRow: ((fact: never) => Readonly<{ name: string; atMs: EpochMs }>) | null
  }>
  /** Returns the group of the report in which the signal is counted, for example the tier of a burst. */
  groupOf(signal: StageRecord['data']): string
  /** The returns that an outcome contains. A return is null if it is unknown or does not apply. */
  readonly returns: readonly SignalReturn[]
  /**
   * The lookups (requests for more data) about the signal. A signal that fires only under changed rules may
   * have no answer, because the service never sent the request.
   */
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
 * A field of a lookup's answer. `values` are the words that the field can contain. Null: the field is a
 * number. `of` reads the field from an answer and returns null if the answer has no value.
 */
type LookupField = Readonly<{ values: readonly string[] | null; of: (answer: never) => SignalValue | null }>

type SignalLookup = Readonly<{
  name: string
  /** The record type of the answer, which has the same key as the signal. */
  record: string
  /** Returns whether the record shows that the lookup got no answer. */
  isEmpty: (answer: never) => boolean
  /** The fields that the option `--where` can name. A field name means the same in all kinds of signals. */
  fields: Readonly<Record<string, LookupField>>
}>

/** One signal of a backtest run. If the ids are equal, both runs contain the same signal. */
export type Signal = Readonly<{
  id: string
  kind: string
  group: string
  token: string
  /**
   * The token and the name of the signal's row, without the time. With changed rules, a signal of the same
   * source may fire up to `movedMsMax` earlier or later.
   */
  source: string
  atMs: EpochMs
  /** The time at which the service knew the signal. Null: the log does not tell. */
  knownAtMs: EpochMs | null
  /** The returns of the signal, by name of the return. Null: the signal has no outcome yet. */
  returns: Readonly<Record<string, number | null>> | null
  /** The names of the lookups whose answer is not in the log. */
  lacks: readonly string[]
  /** The values in the lookup answers, by field name. */
  values: Readonly<Record<string, SignalValue | null>>
}>
