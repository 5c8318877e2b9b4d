/**
 * The state of the paper desk (simulated trading) for one token. It has signals that wait for their position,
 * open positions, and shadows. A shadow records the prices in the hour after a signal.
 */
import type { DeskOpened, DeskShadow, DeskTrade, DeskTwin } from '../../schemas/desk/derived.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import { noItems } from '../lean-list.ts'
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
 * A signal whose position is not open yet. If `market` is null, the position is opened on the market that has
 * the most liquidity at that time.
 */
export type Waiting = Readonly<{
  kind: SignalKind
  signalAtMs: EpochMs
  market: MarketId | null
  lanes: readonly string[]
  isShadowed: boolean
  /**
   * The market at the signal, and its liquidity then. The signal is dropped if this liquidity is removed
   * before the position opens.
   */
  held: Holding | null
  /**
   * The time at which the position opens. It depends on the time at which the service recorded the signal.
   * Null until the next tick (the record that closes a time step) shows that time.
   */
  dueAtMs: EpochMs | null
}>

/** An open position. `signalAtMs` is null for a twin, which is a comparison position without a signal. */
export type OpenPosition = Readonly<{ lane: string; signalAtMs: EpochMs | null; position: OpenTrade }>

export type Books = {
  waiting: readonly Waiting[]
  held: readonly OpenPosition[]
  /**
   * The time at which the timer for time limits fires. It is not later than the earliest time limit of a
   * position. Null if there is no position.
   */
  timeOutAtMs: EpochMs | null
  shadows: readonly Shadow[]
  call: CallWatch | null
  /**
   * The next time at which twins may open. A twin is a comparison position without a signal. Null if no
   * market of the token has changed recently.
   */
  twinsDueAtMs: EpochMs | null
}

export const emptyBooks = (): Books => ({
  waiting: noItems,
  held: noItems,
  timeOutAtMs: null,
  shadows: noItems,
  call: null,
  twinsDueAtMs: null,
})

/** Returns whether the desk has nothing more to do for the token. */
export const isQuiet = ({ waiting, held, shadows, call, twinsDueAtMs }: Books): boolean =>
  waiting.length + held.length + shadows.length === 0 && call === null && twinsDueAtMs === null
