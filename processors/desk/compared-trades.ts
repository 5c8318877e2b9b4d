/** Trades of the desk as a backtest compares them, by lane. */
import type { DeskTrade } from '../../schemas/desk/derived.ts'
import type { ComparedKind } from '../signals.ts'

/** `costs`: what their returns have deducted. */
export const deskTrades = (costs: number): ComparedKind => ({
  ...{ name: 'desk trades', signal: 'DeskTrade', outcome: null },
  groupOf: ({ lane }: DeskTrade) => lane,
  returns: [{ name: 'ret', of: ({ ret }: DeskTrade) => ret, costs }],
  lookups: [],
})
