/** Describes how a backtest compares the trades of the desk. A lane is a named set of entry and exit rules. */
import type { DeskTrade } from '../../schemas/desk/derived.ts'
import type { ComparedKind } from '../signals.ts'

/** `costs` are the costs that were deducted from the returns, as a ratio. */
export const deskTrades = (costs: number): ComparedKind => ({
  ...{ name: 'desk trades', signal: 'DeskTrade', outcome: null },
  groupOf: ({ lane }: DeskTrade) => lane,
  returns: [{ name: 'ret', of: ({ ret }: DeskTrade) => ret, costs }],
  lookups: [],
})
