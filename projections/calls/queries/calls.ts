import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { hourMs, minuteMs } from '../../../schemas/units.ts'
import { ethOfWei } from '../../chain-a/queries/units.ts'
import { chainATradeGaps } from '../../chain-a/tables/chain-a-trade-gaps.ts'
import { solOfLamports } from '../../chain-b/queries/units.ts'
import { chainBTradeGaps } from '../../chain-b/tables/chain-b-trade-gaps.ts'
import { selectBotCards } from '../../chats/queries/bot-cards.ts'
import { keepNewest } from '../../keep-newest.ts'
import { createTracked, identifiersIn } from '../../tracked.ts'
import { createTradeGaps } from '../../trade-gaps.ts'
import { chainAPrecalls } from '../tables/precalls.ts'
import { chainAScannerGrades, chainBScannerGrades } from '../tables/scanner-grades.ts'
import { selectBoard } from './board.ts'
import { asOfClock, type CallsReading, selectCalls } from './call-rows.ts'
import { type CallerBoard, type CallRow, type CallsViews, chainOfToken } from './calls-views.ts'
import { before, chatsClockMs } from './clock.ts'
import { type CallsEdition, createCallsEditions, lookBackFrom } from './editions.ts'
import { selectGrade, selectPrecall } from './token-rows.ts'

/** `database`: a reader. `stages`: the chats and the chains that are there. */
export function createCallsViews({
  database,
  stages,
}: Readonly<{ database: Database; stages: readonly Stage[] }>): CallsViews {
  const editionAt = createCallsEditions(database, stages)
  /** Each with every caller of its window. */
  const boards = keepNewest<CallerBoard>(6)
  const outcomes = keepNewest<Awaited<ReturnType<CallsViews['outcomes']>>>(16)
  const carded = { fromColumn: 'last_card_at_ms', ms: callRules.watchMs } as const
  // Each chain’s own: a cut of one chain says nothing of how complete the tables of the other are.
  const graded = {
    'chain-a': createTracked(database, [identifiersIn(chainAScannerGrades, 'token', carded)]),
    'chain-b': createTracked(database, [identifiersIn(chainBScannerGrades, 'token', carded)]),
  }
  const reading: CallsReading = {
    database,
    gaps: {
      'chain-a': createTradeGaps({ database, table: chainATradeGaps, coinOf: ethOfWei }),
      'chain-b': createTradeGaps({ database, table: chainBTradeGaps, coinOf: solOfLamports }),
    },
  }
  const isThere = (chain: string) => stages.some(({ name }) => name === chain)
  return {
    tracked: {
      precalls: createTracked(database, [
        identifiersIn(chainAPrecalls, 'token', { fromColumn: 'posted_at_ms', ms: callRules.watchMs }),
      ]),
      grades: {
        async mayHold(token, cut) {
          const chain = chainOfToken(token)
          return isThere(chain) && (await graded[chain].mayHold(token, cut))
        },
      },
    },
    live: (cut, { minutes, chain }) =>
      selectCalls(reading, cut, {
        ...{ chain, range: before(chatsClockMs(cut), minutes * minuteMs), withoutContract: chain === null },
        pricedToMs: ({ lastSampleAtMs }) => lastSampleAtMs,
      }),
    rebuiltAt: async (cut) => (await editionAt(cut))?.toldAtMs ?? null,
    async outcomes(cut, { hours, chain, limit }) {
      const edition = await editionAt(cut)
      if (edition === null) return null
      const { toldAtMs, cut: at } = edition
      const range = { from: before(lookBackFrom(edition, hours * hourMs), hours * hourMs).from, to: toldAtMs - hourMs }
      const pricedToMs = ({ calledAtMs }: Pick<CallRow, 'calledAtMs'>) =>
        Math.min(calledAtMs + callRules.watchMs, toldAtMs)
      const question = { chain, range, limit, withoutContract: false, pricedToMs }
      const select = async () => ({
        rebuiltAtMs: toldAtMs,
        calls: (await selectCalls(reading, at, question)).map((row) => asOfClock(row, chatsClockMs(at))),
      })
      return outcomes(`${idOf(edition)} ${hours} ${chain} ${limit}`, select)
    },
    async board(cut, window) {
      const edition = await editionAt(cut)
      return edition && boards(`${idOf(edition)} ${window}`, () => selectBoard(database, edition.cut, window))
    },
    grade: (cut, token) => selectGrade(database, cut, token),
    precall: (cut, token) => selectPrecall(reading, cut, token),
    botCards: (cut) => selectBotCards(database, cut),
  }
}

const idOf = ({ toldAtMs, cut }: CallsEdition): string => `${toldAtMs} ${cut.atMs} ${Object.keys(cut.stages).join()}`
