import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { hourMs, minuteMs } from '../../../schemas/units.ts'
import { keepNewest } from '../../keep-newest.ts'
import { createTracked, identifiersIn, type Tracked } from '../../tracked.ts'
import { createTradeGaps } from '../../trade-gaps/trade-gaps.ts'
import { type CalledChain, chainOfToken } from '../called-chain.ts'
import { callTablesOf, precallTablesOf } from '../tables.ts'
import { selectBoard } from './board.ts'
import { asOfClock, type CallsReading, createRecentCalls, selectCalls } from './call-rows.ts'
import type { CallerBoard, CallRow, CallsQueries } from './calls-queries.ts'
import { before, chatsClockMs } from './clock.ts'
import { type CallsEdition, createCallsEditions, lookBackFrom } from './editions.ts'
import { selectCallsOfToken, selectGrade, selectPrecall } from './token-rows.ts'

type Reading = Readonly<{ database: Database; chains: readonly CalledChain[] }>

/**
 * Creates the queries about calls. `database` has the reader role. `chains` are the chains of the service
 * whose tokens are called.
 */
export function createCallsQueries({ database, chains }: Reading): CallsQueries {
  const editionAt = createCallsEditions(database, [chatsStage, ...chains.map(({ stage }) => stage)])
  /**
   * The most recently used lists of callers. At most six are kept, because each list contains every caller of
   * its window.
   */
  const boards = keepNewest<CallerBoard>(6)
  const outcomes = keepNewest<Awaited<ReturnType<CallsQueries['outcomes']>>>(16)
  const reading: CallsReading = {
    database,
    chains: chains.map((chain) => ({
      ...chain,
      tradeGaps: createTradeGaps({ database, ...chain.gaps }),
      recentCalls: createRecentCalls(database, chain.stage),
    })),
  }
  const tracked = {
    precalls: chains
      .filter(({ hasPrecalls }) => hasPrecalls)
      .map((chain) => ({
        chain,
        columns: [identifiersIn(precallTablesOf(chain.stage.name).Precall, 'token', called)],
      })),
    grades: chains.map((chain) => ({
      ...{ chain, columns: [identifiersIn(callTablesOf(chain.stage.name).ScannerGrade, 'token', carded)] },
    })),
  }
  return {
    tracked: {
      precalls: trackedByChain(database, tracked.precalls),
      grades: trackedByChain(database, tracked.grades),
    },
    live: (cut, { minutes, chain }) =>
      selectCalls(reading, cut, {
        ...{ chain, range: before(chatsClockMs(cut), minutes * minuteMs), withoutContract: chain === null },
        isRecent: true,
        pricedToMs: ({ lastSampleAtMs }) => lastSampleAtMs,
      }),
    rebuiltAt: async (cut) => (await editionAt(cut))?.coveredUntilMs ?? null,
    async outcomes(cut, { hours, chain, limit }) {
      const edition = await editionAt(cut)
      if (edition === null) return null
      const { coveredUntilMs, cut: at } = edition
      const range = {
        from: before(lookBackFrom(edition, hours * hourMs), hours * hourMs).from,
        to: coveredUntilMs - hourMs,
      }
      // While the chats are behind, the log knows prices after the edition's hour. The highest one is in the row.
      const pricedToMs = ({ calledAtMs, lastSampleAtMs, ruggedAtMs }: Omit<CallRow, 'gaps'>) =>
        Math.min(calledAtMs + callRules.watchMs, Math.max(coveredUntilMs, lastSampleAtMs ?? 0, ruggedAtMs ?? 0))
      const question = { chain, range, limit, withoutContract: false, isRecent: false, pricedToMs }
      const select = async () => ({
        rebuiltAtMs: coveredUntilMs,
        calls: (await selectCalls(reading, at, question)).map((row) => asOfClock(row, chatsClockMs(at))),
      })
      return outcomes(`${idOf(edition)} ${hours} ${chain} ${limit}`, select)
    },
    async board(cut, window) {
      const edition = await editionAt(cut)
      return (
        edition && boards(`${idOf(edition)} ${window}`, () => selectBoard({ database, chains }, edition.cut, window))
      )
    },
    grade: (cut, token) => selectGrade(reading, cut, token),
    precall: (cut, token) => selectPrecall(reading, cut, token),
    ofToken: (cut, token) => selectCallsOfToken(reading, cut, token),
  }
}

const called = { fromColumn: 'posted_at_ms', ms: callRules.watchMs } as const
const carded = { fromColumn: 'last_card_at_ms', ms: callRules.watchMs } as const

type TrackedChain = Readonly<{ chain: CalledChain; columns: Parameters<typeof createTracked>[1] }>

/**
 * Each chain has its own set of tokens that may have rows. The cut of one chain does not show how complete
 * the rows of another chain are.
 */
function trackedByChain(database: Database, of: readonly TrackedChain[]): Tracked {
  const chains = of.map(({ chain, columns }) => ({ ...chain, tracked: createTracked(database, columns) }))
  return {
    mayHold: async (token, cut) => chainOfToken(chains, token)?.tracked.mayHold(token, cut) ?? false,
    async example(cut) {
      for (const { tracked } of chains) {
        const token = await tracked.example(cut)
        if (token !== null) return token
      }
      return null
    },
  }
}

const idOf = ({ coveredUntilMs, cut }: CallsEdition): string =>
  `${coveredUntilMs} ${cut.atMs} ${Object.keys(cut.stages).join()}`
