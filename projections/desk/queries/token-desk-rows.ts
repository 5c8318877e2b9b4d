/** What the paper desk recorded about one token, as verdicts show it. */
import type { Book, DeskExit, DeskShadow, DeskTrade } from '../../../schemas/desk/derived.ts'

/** A closed trade. */
export type TokenTradeRow = Pick<DeskTrade, 'lane' | 'openedAtMs' | 'closedAtMs' | 'ret' | 'peakRet'> &
  Readonly<{ book: Book; exit: DeskExit }>

/** A signal that the desk looked at, an hour later. */
export type TokenShadowRow = Pick<
  DeskShadow,
  'signalAtMs' | 'signal' | 'ret1' | 'ret5' | 'ret15' | 'ret60' | 'mfe' | 'mae'
>

/** Of signals of the last 48 h. */
export type TokenDeskRow = Readonly<{
  /** The one that was closed last. */
  lastTrade: TokenTradeRow | null
  /** Finished ones, oldest signal first. */
  shadows: readonly TokenShadowRow[]
}>
