/**
 * The fact types of chain A that have a view. A view is an object that reads the fields of a fact directly
 * from the encoded bytes. Nearly all facts have one of these types.
 */
import { CurveTradeView } from './curve-trade-view.ts'
import { SwapView } from './swap-view.ts'

export const chainAViews = { Swap: SwapView, CurveTraded: CurveTradeView } as const
