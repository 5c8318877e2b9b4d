/** The books of a token: signals that wait for a fill, positions, and shadows. */
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

/** The rules, and the context of the processor. The object is made for every trade, so it has no functions of its own. */
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

/** A signal that waits for its fill. `market`: null means the market that is the deepest at the fill. */
export type Waiting = Readonly<{
  kind: SignalKind
  signalAtMs: EpochMs
  market: MarketId | null
  lanes: readonly string[]
  isShadowed: boolean
  /** The market and its liquidity at the signal. The signal is dropped if this market is pulled before the fill. */
  held: Holding | null
  /** When the signal is filled. Null until the tick shows when the service knew the signal. */
  dueAtMs: EpochMs | null
}>

/** An open position. `signalAtMs`: null for a twin. */
export type Held = Readonly<{ lane: string; signalAtMs: EpochMs | null; position: OpenTrade }>

export type Books = {
  waiting: readonly Waiting[]
  held: Held[]
  /** When the timer for timeouts fires: at or before the earliest timeout of a position. Null: there is no position. */
  timeOutAtMs: EpochMs | null
  shadows: Shadow[]
  call: CallWatch | null
  /** The next second at which twins may open. Null: the markets of the token had no recent moves. */
  twinsDueAtMs: EpochMs | null
}

export const emptyBooks = (): Books => ({
  ...{ waiting: [], held: [], timeOutAtMs: null, shadows: [], call: null, twinsDueAtMs: null },
})

export const isQuiet = ({ waiting, held, shadows, call, twinsDueAtMs }: Books): boolean =>
  waiting.length + held.length + shadows.length === 0 && call === null && twinsDueAtMs === null
