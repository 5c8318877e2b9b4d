/** The functions and settings that a chain passes to the processor of calls (posts that recommend a token). */
import type { CallScored } from '../../schemas/calls/derived.ts'
import type { CallAnswer, Mentioned } from '../../schemas/calls/facts.ts'
import type { StageRecord, StageTypes } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Markets } from '../markets/markets.ts'
import type { WatchRecord } from './watch.ts'

/** The records that the processor of calls emits on every chain. */
export type CallsRecord = WatchRecord | Readonly<{ type: 'CallScored'; data: CallScored }>

/** The types of a stage that reads posts and looked-up prices, and derives calls from them. */
export type CallsTypes = StageTypes & Readonly<{ answer: CallAnswer | StageRecord }>

export type CallsDependencies<Precalls, Types extends CallsTypes> = Readonly<{
  burstTypes: readonly Types['derived']['type'][]
  /** Returns the burst that a record of one of the `burstTypes` describes. */
  burstOf(record: Types['derived']): Burst
  /**
   * The functions that record what happened before the first post about a token. Null: the chain does not
   * record this.
   */
  precalling: Precalling<Precalls, Types> | null
  /** Whether the owner of a market's liquidity can remove it on this chain. */
  canBePulled: boolean
}>

export type Burst = Readonly<{ tier: string; atMs: EpochMs }>

/**
 * The first post about a token, which starts the observation of the token. All blocks up to the time of the
 * post have been processed. If the post became known late, blocks up to `processedUntilMs` have been processed.
 */
export type Called = Readonly<{
  token: string
  mention: Mentioned
  processedUntilMs: EpochMs
  markets: Markets
}>

/**
 * Functions that record the trades of a token before its first post, and describe them at the post. They
 * change the state in place. `onCall` and `onAnswer` return the records to emit.
 */
export type Precalling<State, Types extends StageTypes> = Readonly<{
  initialState(): State
  /** Processes a fact that set a price and returns the state. Null: the token needs no state yet. */
  onTrade(state: State | null, fact: StageRecord): State | null
  onCall(state: State, called: Called): readonly Types['derived'][]
  onAnswer(state: State, answer: Types['answer']): readonly Types['derived'][]
  /** Deletes the parts of the state that are too old at `atMs`. */
  prune(state: State, atMs: EpochMs): void
  /** Deletes trades that no call handled at `atMs` or later reads. It must not change any record. */
  trim(state: State, atMs: EpochMs): void
  isEmpty(state: State): boolean
}>
