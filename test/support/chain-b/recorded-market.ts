/** Converts the recorded trades to decoded transactions. Their events are in the layout of 225 bytes. */
import type { KeyedEvent } from '../../../ingest/chain-b/decode/decode-transaction.ts'
import { groupBy } from '../group-by.ts'
import { decodeWire } from './decode-wire.ts'
import { encodeTrade, signatureOf, transactionOf } from './encode-events.ts'
import { type RecordedTrade, recordedTrades } from './fixtures.ts'

export type MarketTransaction = Readonly<{
  slot: number
  trades: readonly RecordedTrade[]
  facts: readonly KeyedEvent[]
}>

/**
 * Returns the transactions in chain order. So the reserves in each trade of a mint follow from the mint's
 * trade before it.
 */
export function recordedMarket(): readonly MarketTransaction[] {
  const tradesOf = groupBy(recordedTrades(), ({ transaction }) => transaction)
  return [...tradesOf].map(([number, trades]) => {
    const wire = transactionOf(
      trades.map((trade) => ({ program: 'pump', payload: encodeTrade(trade) })),
      signatureOf(number),
    )
    const slot = trades[0]?.slot ?? 0
    return { slot, trades, facts: decodeWire(wire, { slot }).facts }
  })
}
