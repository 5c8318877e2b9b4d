/** The parts that the processor of calls of a chain is made of. */
import type { CallScored } from '../../schemas/calls/derived.ts'
import type { CallAnswer, Mentioned } from '../../schemas/calls/facts.ts'
import type { StageRecord, StageTypes } from '../../schemas/stage.ts'
import type { Markets } from '../markets/markets.ts'
import type { WatchRecord } from './watch.ts'

/** A record that the processor emits on every chain. */
export type CallsRecord = WatchRecord | Readonly<{ type: 'CallScored'; data: CallScored }>

/** The types of a stage whose log has mentions and prices, and whose derived records have calls. */
export type CallsTypes = StageTypes & Readonly<{ answer: CallAnswer | StageRecord }>

export type CallsParts<Precalls, Types extends CallsTypes> = Readonly<{
  burstTypes: readonly Types['derived']['type'][]
  /** The tier of a burst, as `triggered` names it. Null: the record is no burst. */
  burstOf(record: Types['derived']): Burst | null
  /** What happened before the first post. Null: the chain has no such record. */
  precalling: Precalling<Precalls, Types> | null
  /** Whether anybody can pull the liquidity of a market of the chain. */
  canBePulled: boolean
}>

export type Burst = Readonly<{ tier: string; atMs: number }>

/** The first post of a watch, once block time has passed it. */
type Called = Readonly<{ token: string; mention: Mentioned; markets: Markets }>

/** Its functions change the state in place and return what to emit. */
export type Precalling<State, Types extends StageTypes> = Readonly<{
  initialState(): State
  /** A fact that set a price. Most tokens need no state. */
  onTrade(state: State | null, fact: StageRecord): State | null
  onCall(state: State, called: Called): readonly Types['derived'][]
  onAnswer(state: State, answer: Types['answer']): readonly Types['derived'][]
  /** Forgets what no longer matters at the instant. */
  prune(state: State, atMs: number): void
  isEmpty(state: State): boolean
}>
