/**
 * The books of a token: signals that wait for a fill, positions, and shadows. A shadow records the prices in
 * the hour after a signal.
 */
import type { DeskOpened, DeskShadow, DeskTrade, DeskTwin } from '../../schemas/desk/derived.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import type { Holding, Markets } from '../markets/markets.ts'
import type { CallWatch } from './calls.ts'
import type { Shadow } from './shadow.ts'
import type { OpenTrade } from './trade.ts'

type DeskRecord =
  | Readonly<{ type: 'DeskOpened'; data: DeskOpened }>
  | Readonly<{ type: 'DeskTrade'; data: DeskTrade }>
  | Readonly<{ type: 'DeskTwin'; data: DeskTwin }>
  | Readonly<{ type: 'DeskShadow'; data: DeskShadow }>

/**
 * The rules, and the context of the processor. This object has no functions of its own, because one such
 * object is created for every trade.
 */
export type RuleContext = Readonly<{
  desk: DeskRules
  context: Readonly<{
    token: string
    markets: Markets
    emit(record: DeskRecord): void
    wakeAt(dueAtMs: EpochMs): void
    awaitTick(): void
  }>
}>

export type SignalKind = 'burst' | 'call'

/**
 * A signal that waits for its fill. If `market` is null, the fill is on the market with the most liquidity at
 * the time of the fill.
 */
export type Waiting = Readonly<{
  kind: SignalKind
  signalAtMs: EpochMs
  market: MarketId | null
  lanes: readonly string[]
  isShadowed: boolean
  /** The market at the signal, with its liquidity. The signal is dropped if this market is pulled before the fill. */
  held: Holding | null
  /** The time at which the signal is filled. Null until a tick shows when the service knew the signal. */
  dueAtMs: EpochMs | null
}>

/** An open position. `signalAtMs` is null for a twin, which is a comparison position without a signal. */
export type OpenPosition = Readonly<{ lane: string; signalAtMs: EpochMs | null; position: OpenTrade }>

export type Books = {
  waiting: readonly Waiting[]
  held: OpenPosition[]
  /**
   * The time at which the timer for timeouts fires. It is not later than the earliest timeout of a position.
   * Null if there is no position.
   */
  timeOutAtMs: EpochMs | null
  shadows: Shadow[]
  call: CallWatch | null
  /**
   * The next time at which twins may open. A twin is a comparison position without a signal. Null if no
   * market of the token had a recent move.
   */
  twinsDueAtMs: EpochMs | null
}

export const emptyBooks = (): Books => ({
  ...{ waiting: [], held: [], timeOutAtMs: null, shadows: [], call: null, twinsDueAtMs: null },
})

/** Returns whether the desk no longer needs the token. */
export const isQuiet = ({ waiting, held, shadows, call, twinsDueAtMs }: Books): boolean =>
  waiting.length + held.length + shadows.length === 0 && call === null && twinsDueAtMs === null
