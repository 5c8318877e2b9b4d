/** Describes the signals of a stage to a comparison of two runs. Each stage names its kinds; this file knows no chain. */
import type { StageRecord } from '../schemas/stage.ts'
import type { EpochMs } from '../schemas/units.ts'

/** Methods, not properties, so that kinds of specific records are assignable to a list of kinds of any record. */
export type ComparedKind = {
  /** The name in reports, such as `bursts`. */
  readonly name: string
  /** The record type of the signal. */
  readonly signal: string
  /** The record type of the outcome, which has the same key. Null: the signal itself carries the outcome. */
  readonly outcome: string | null
  /** The group that a signal is counted in, such as a tier or a lane. */
  groupOf(signal: StageRecord['data']): string
  /** The returns of an outcome. A value is null if it is not known or does not apply to the signal. */
  readonly returns: readonly SignalReturn[]
  /** Data from lookups. A signal that fires only under other rules may have no answer, because the service never asked about it. */
  readonly lookups: readonly SignalLookup[]
}

type SignalReturn = Readonly<{
  name: string
  of: (outcome: never) => number | null
  /** The costs that the return has deducted, as a ratio. 0: it has no costs deducted. */
  costs: number
}>

export type SignalValue = string | number

/** `values`: the words that the field can be; null: the field is a number. `of` returns null if the answer does not say it. */
type LookupField = Readonly<{ values: readonly string[] | null; of: (answer: never) => SignalValue | null }>

type SignalLookup = Readonly<{
  name: string
  /** The record type of the answer, which has the same key as the signal. */
  record: string
  /** Whether the record says that the lookup got no answer. */
  isEmpty: (answer: never) => boolean
  /** The fields that `--where` can name. A name has one meaning in all kinds. */
  fields: Readonly<Record<string, LookupField>>
}>

/** One signal of a run. Equal ids mean the same signal in both runs. */
export type Signal = Readonly<{
  id: string
  kind: string
  group: string
  token: string
  /** Two signals of one source less than `movedMsMax` apart may be the same signal, fired earlier or later. */
  source: string
  atMs: EpochMs
  /** Returns by name. Null: there is no outcome yet. */
  returns: Readonly<Record<string, number | null>> | null
  /** The lookups whose answer is not in the log. */
  lacks: readonly string[]
  /** The values of the answers, by field. */
  said: Readonly<Record<string, SignalValue | null>>
}>
