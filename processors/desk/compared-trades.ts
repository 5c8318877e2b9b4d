/**
 * Describes how a backtest compares the trades of the paper desk (simulated trading). A lane is a named set
 * of entry and exit rules.
 */
import type { DeskTrade } from '../../schemas/desk/derived.ts'
import type { ComparedKind } from '../signals.ts'

/** `costs` are the trading costs that were deducted from the returns, as a ratio: 0.05 is 5 %. */
export const deskTrades = (costs: number): ComparedKind => ({
  ...{ name: 'desk trades', signal: 'DeskTrade', outcome: null },
  knownBy: { type: 'DeskOpened', factRow: null },
  groupOf: ({ lane }: DeskTrade) => lane,
  returns: [{ name: 'ret', of: ({ ret }: DeskTrade) => ret, costs }],
  lookups: [],
})
