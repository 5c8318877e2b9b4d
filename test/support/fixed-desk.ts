/**
 * Answers the desk's queries from trades that the test sets. A twin is a random trade for comparison, and
 * `twins` are the returns of a trade's twins.
 */
import type { DeskQueries } from '../../projections/desk/queries/desk.ts'
import type { ComparedTrade } from '../../projections/desk/queries/twins.ts'

export const buildTrade = (fields: Partial<ComparedTrade> = {}): ComparedTrade => ({
  ...{ token: `0x${'a1'.repeat(20)}`, book: 'main', lane: 'burst-spread', market: `0x${'b2'.repeat(32)}` },
  ...{ signalAtMs: 1_789_999_000_000, openedAtMs: 1_789_999_003_000, closedAtMs: 1_789_999_600_000 },
  ...{ ret: 0.25, peakRet: 0.5, exit: 'take_profit', twins: [0.05, -0.1] },
  ...{ knownAtMs: 1_789_999_601_000, publishedAtMs: 1_789_999_601_000 },
  ...fields,
})

/** Builds the queries. `trades` must be in the order of closing, with the newest trade first. */
export function createFixedDesk(trades: () => readonly ComparedTrade[]): DeskQueries {
  const found: DeskQueries['compared'] = async (_, { sinceMs, book, limit }) =>
    trades()
      .filter((trade) => trade.closedAtMs >= sinceMs && (book === 'all' || trade.book === book))
      .slice(0, limit)
  return {
    trades: found,
    compared: found,
    lastTrade: async (cut, { token, sinceMs }) =>
      (await found(cut, { sinceMs, book: 'all', limit: 3000 })).find((trade) => trade.token === token) ?? null,
    shadows: async () => [],
  }
}
