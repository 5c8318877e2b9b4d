import type { RowKey, TradeGap } from '../../../schemas/chain-a/derived.ts'
import { tradeGapTable } from '../../trade-gap-table.ts'

export const chainATradeGaps = tradeGapTable<TradeGap, RowKey>({
  name: 'chain_a_trade_gaps',
  marketOf: ({ pool }) => pool,
  placeOf: ({ txHash, logIndex }) => `${txHash} ${logIndex}`,
  withdrawn: ({ pool, atMs, name }) => ({ market: pool, at_ms: atMs, place: name }),
})
