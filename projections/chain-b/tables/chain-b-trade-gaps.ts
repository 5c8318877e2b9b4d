import { base58OfHex } from '../../../infra/base58.ts'
import type { RowKey, TradeGap } from '../../../schemas/chain-b/derived.ts'
import type { Hex } from '../../../schemas/units.ts'
import { tradeGapTable } from '../../trade-gap-table.ts'

const placeOf = ({ txHash, logIndex }: Readonly<{ txHash: Hex; logIndex: number }>): string =>
  `${base58OfHex(txHash)} ${logIndex}`

export const chainBTradeGaps = tradeGapTable<TradeGap, RowKey>({
  name: 'chain_b_trade_gaps',
  // A mint has one curve.
  marketOf: () => '',
  placeOf,
  withdrawn: ({ atMs, txHash, logIndex }) => ({
    market: '',
    at_ms: atMs,
    place: txHash === null || logIndex === null ? '' : placeOf({ txHash, logIndex }),
  }),
})
