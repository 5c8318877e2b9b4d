/**
 * Queries of the paper desk (simulated trading) that return one closed trade and its `twins`, whatever the
 * parameters are. `twins` are the returns of trades that opened at random times, for comparison.
 */
import type { DeskQueries } from '../projections/desk/queries/desk.ts'
import type { DeskTradeRow } from '../projections/desk/queries/track-record.ts'
import { exampleAtMs } from './example.ts'

type ExampleOf = Readonly<{ token: string; market: string; lane: string }>

export function exampleDeskOf(of: ExampleOf): DeskQueries {
  const signalAtMs = exampleAtMs - 5_400_000
  const trade: DeskTradeRow = {
    ...{ ...of, book: 'main', signalAtMs, openedAtMs: signalAtMs + 3000, closedAtMs: signalAtMs + 404_000 },
    ...{ ret: 0.125, peakRet: 0.34, exit: 'trail' },
    ...{ knownAtMs: signalAtMs + 406_000, publishedAtMs: signalAtMs + 406_000 },
  }
  return {
    trades: async () => [trade],
    compared: async () => [{ ...trade, twins: [-0.02, 0.05] }],
    lastTrade: async () => trade,
    shadows: async () => [],
  }
}
