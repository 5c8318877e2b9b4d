import { base58OfHex } from '../../../infra/base58.ts'
import type { RowKey, TradeGap } from '../../../schemas/chain-b/derived.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { TxHash } from '../../../schemas/units.ts'
import { tradeGapTable } from '../../trade-gaps/trade-gap-table.ts'

const placeOf = ({ txHash, logIndex }: Readonly<{ txHash: TxHash; logIndex: number }>): string =>
  `${base58OfHex(txHash)} ${logIndex}`

export const chainBTradeGaps = tradeGapTable<TradeGap, RowKey>({
  chain: chainBStage.name,
  // The market of a gap needs no name here. Only trades on curves are checked for gaps, and a mint has only
  // one curve.
  marketOf: () => '',
  placeOf,
  withdrawn: ({ atMs, txHash, logIndex }) => ({
    market: '',
    at_ms: atMs,
    place: txHash === null || logIndex === null ? '' : placeOf({ txHash, logIndex }),
  }),
})
