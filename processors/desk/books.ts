/** The books of a token: its markets’ paths, what waits for a fill, what is held and what is shadowed. */
import type { DeskOpened, DeskShadow, DeskTrade, DeskTwin } from '../../schemas/desk/derived.ts'
import type { Desk } from '../../schemas/desk/rules.ts'
import type { Hex } from '../../schemas/units.ts'
import type { Quote } from '../calls/prices.ts'
import type { CallWatch } from './calls.ts'
import type { Path } from './moves.ts'
import type { Shadow } from './shadow.ts'
import type { Position } from './trade.ts'

type DeskRecord =
  | Readonly<{ type: 'DeskOpened'; data: DeskOpened }>
  | Readonly<{ type: 'DeskTrade'; data: DeskTrade }>
  | Readonly<{ type: 'DeskTwin'; data: DeskTwin }>
  | Readonly<{ type: 'DeskShadow'; data: DeskShadow }>

/** What the rules may do and ask, for one call. Made for every trade, so it holds no functions of its own. */
export type Shell = Readonly<{
  desk: Desk
  context: Readonly<{ token: string; emit(record: DeskRecord): void; wakeAt(dueAtMs: number): void }>
  /** The chain’s own state, and its function to read it. */
  markets: unknown
  deepest(markets: unknown): Quote | null
}>

/** The market that prices the token now. */
export const deepestMarket = ({ markets, deepest }: Shell): Quote | null => deepest(markets)

export type SignalKind = 'burst' | 'call'

/** A signal until its fill. `market`: null where the deepest one at the fill is meant. */
export type Waiting = Readonly<{
  kind: SignalKind
  signalAtMs: number
  dueAtMs: number
  market: Hex | null
  lanes: readonly string[]
  isShadowed: boolean
}>

/** `signalAtMs`: null of a twin. */
export type Held = Readonly<{ lane: string; signalAtMs: number | null; position: Position }>

export type Books = {
  /** A list, because most tokens have one market and a map would be most of the memory of it. */
  paths: Path[]
  waiting: Waiting[]
  held: Held[]
  /** The next instant at which a position’s time may be over. Null: nothing is held. */
  timeOutAtMs: number | null
  shadows: Shadow[]
  call: CallWatch | null
  /** The next second at which twins may open. Null: its markets have not moved lately. */
  twinsDueAtMs: number | null
}

export const emptyBooks = (): Books => ({
  ...{ paths: [], waiting: [], held: [], timeOutAtMs: null, shadows: [] },
  ...{ call: null, twinsDueAtMs: null },
})

/** Undefined: the desk does not know the market. */
export function pathOf({ paths }: Books, market: Hex): Path | undefined {
  for (const path of paths) if (path.market === market) return path
  return undefined
}

export const isQuiet = ({ paths, waiting, held, shadows, call, twinsDueAtMs }: Books): boolean =>
  paths.length + waiting.length + held.length + shadows.length === 0 && call === null && twinsDueAtMs === null
