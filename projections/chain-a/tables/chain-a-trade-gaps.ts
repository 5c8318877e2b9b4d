import type { RowKey, TradeGap } from '../../../schemas/chain-a/derived.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { tradeGapTable } from '../../trade-gaps/trade-gap-table.ts'

export const chainATradeGaps = tradeGapTable<TradeGap, RowKey>({
  chain: chainAStage.name,
  marketOf: ({ pool }) => pool,
  placeOf: ({ txHash, logIndex }) => `${txHash} ${logIndex}`,
  withdrawn: ({ pool, atMs, name }) => ({ market: pool, at_ms: atMs, place: name }),
})
