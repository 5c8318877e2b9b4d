/** The views of chain A, for the types of nearly all its facts. The stage reads these facts in place. */
import { CurveTradeView } from './curve-trade-view.ts'
import { SwapView } from './swap-view.ts'

export const chainAViews = { Swap: SwapView, CurveTraded: CurveTradeView } as const
