/** The books of a token: what waits for a fill, what is held and what is shadowed. */
import type { DeskOpened, DeskShadow, DeskTrade, DeskTwin } from '../../schemas/desk/derived.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'
import type { Hex } from '../../schemas/units.ts'
import type { Holding, Markets } from '../markets/markets.ts'
import type { CallWatch } from './calls.ts'
import type { Shadow } from './shadow.ts'
import type { Position } from './trade.ts'

type DeskRecord =
  | Readonly<{ type: 'DeskOpened'; data: DeskOpened }>
  | Readonly<{ type: 'DeskTrade'; data: DeskTrade }>
  | Readonly<{ type: 'DeskTwin'; data: DeskTwin }>
  | Readonly<{ type: 'DeskShadow'; data: DeskShadow }>

/** What the rules may do and ask, for one call. Made for every trade, so it holds no functions of its own. */
export type Shell = Readonly<{
  desk: DeskRules
  context: Readonly<{
    token: string
    markets: Markets
    emit(record: DeskRecord): void
    wakeAt(dueAtMs: number): void
    awaitTick(): void
  }>
}>

export type SignalKind = 'burst' | 'call'

/** A signal until its fill. `market`: null where the deepest one at the fill is meant. */
export type Waiting = Readonly<{
  kind: SignalKind
  signalAtMs: number
  market: Hex | null
  lanes: readonly string[]
  isShadowed: boolean
  /** The market and its liquidity at the signal: if it is pulled before the fill, nobody could have bought. */
  held: Holding | null
  /** Null until the tick says when the service knew of the signal. */
  dueAtMs: number | null
}>

/** `signalAtMs`: null of a twin. */
export type Held = Readonly<{ lane: string; signalAtMs: number | null; position: Position }>

export type Books = {
  waiting: readonly Waiting[]
  held: Held[]
  /** The next instant at which a position’s time may be over. Null: nothing is held. */
  timeOutAtMs: number | null
  shadows: Shadow[]
  call: CallWatch | null
  /** The next second at which twins may open. Null: its markets have not moved lately. */
  twinsDueAtMs: number | null
}

export const emptyBooks = (): Books => ({
  ...{ waiting: [], held: [], timeOutAtMs: null, shadows: [], call: null, twinsDueAtMs: null },
})

export const isQuiet = ({ waiting, held, shadows, call, twinsDueAtMs }: Books): boolean =>
  waiting.length + held.length + shadows.length === 0 && call === null && twinsDueAtMs === null
