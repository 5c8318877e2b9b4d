/** The facts that the stage of chain A reads in place, which are nearly all of its log. */
import { CurveTradeView } from './curve-trade-view.ts'
import { SwapView } from './swap-view.ts'

export const chainAViews = { Swap: SwapView, CurveTraded: CurveTradeView } as const
