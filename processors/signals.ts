/** What a comparison of two runs of a stage needs to know of its signals: the stage's composition names them, and nothing here knows a chain. */
import type { StageRecord } from '../schemas/stage.ts'

/** Methods, not properties, so that kinds of particular records can be held as kinds of any. */
export type ComparedKind = {
  /** As a person reads it: `bursts`. */
  readonly name: string
  /** The type of record that is the signal. */
  readonly signal: string
  /** The type of record that tells what became of it, with the same key. Null: the signal itself tells it. */
  readonly outcome: string | null
  /** What signals are counted apart by: a tier, a lane. */
  groupOf(signal: StageRecord['data']): string
  /** Null: not known, or not of this signal. */
  readonly returns: readonly SignalReturn[]
  /** What an answer to a question adds. A signal that only the other rules give may never have been asked about. */
  readonly lookups: readonly SignalLookup[]
}

type SignalReturn = Readonly<{
  name: string
  of: (outcome: never) => number | null
  /** What was deducted of it. 0: it is without costs. */
  costs: number
}>

export type SignalValue = string | number

/** `values`: the words that it can be; null: it is a number. `of` gives null where the answer does not say it. */
type LookupField = Readonly<{ values: readonly string[] | null; of: (answer: never) => SignalValue | null }>

type SignalLookup = Readonly<{
  name: string
  /** The type of record that holds the answer, with the same key. */
  record: string
  /** Whether the record says that nobody answered. */
  isEmpty: (answer: never) => boolean
  /** What signals can be chosen by, by name. A name has one meaning in all kinds. */
  fields: Readonly<Record<string, LookupField>>
}>

/** One signal of a run. Equal ids are the same signal in both. */
export type Signal = Readonly<{
  id: string
  kind: string
  group: string
  token: string
  /** Signals of one source that are apart by less than `movedMsMax` may be one, judged earlier or later. */
  source: string
  atMs: number
  /** By name; null: it has no outcome yet. */
  returns: Readonly<Record<string, number | null>> | null
  /** The lookups whose answer is not in the log. */
  lacks: readonly string[]
  /** What the answers say, by field. */
  said: Readonly<Record<string, SignalValue | null>>
}>
