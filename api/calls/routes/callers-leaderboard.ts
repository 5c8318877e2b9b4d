import { z } from 'zod'
import { boardWindows } from '../../../projections/calls/queries/calls-queries.ts'
import { dayMs, hourMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { type History, route } from '../../route.ts'
import type { ChoiceParam } from '../../sale/params.ts'
import { refuse } from '../../sale/refusals.ts'
import { count } from '../../values.ts'
import type { CallsDependencies } from '../dependencies.ts'
import { limitParam } from '../params.ts'
import { callerSorts, rankCallers } from '../ranking.ts'
import { callsSources, hourNeed, noHourYet, timeOf } from '../required-sources.ts'
import { callerRow, callerValuesOf, callerValuesSchema } from '../resources/caller.ts'
import { callersMethod, callersMethodSchema } from '../resources/caller-method.ts'
import { hourlyCallsEnvelope } from '../resources/envelope.ts'

const windowParam: ChoiceParam<(typeof boardWindows)[number]> = {
  in: 'query',
  type: 'string',
  values: boardWindows,
  default: '7d',
  description: 'how far to look back for posts, before the rebuild',
}

const sortParam: ChoiceParam<(typeof callerSorts)[number]> = {
  in: 'query',
  type: 'string',
  values: callerSorts,
  default: 'win35',
  description: 'by which value callers are ranked, the highest first; `rug` the lowest first',
}

const windowDays: Readonly<Record<(typeof boardWindows)[number], number>> = { '24h': 1, '7d': 7, '30d': 30 }

/**
 * `lookBackMs` is the window of the leaderboard plus 6 hours. The 6 hours cover the age of the hourly answer,
 * and the hour after a post in which the post is scored.
 */
const boardHistory: History = {
  windowMs: windowDays['30d'] * dayMs,
  lookBackMs: ({ window }) => windowDays[boardWindows.find((name) => name === window) ?? '30d'] * dayMs + 6 * hourMs,
}

const listMax = 200

const leaderboardAnswer = hourlyCallsEnvelope.schema.extend({
  window: described('now', z.enum(boardWindows), 'As asked.'),
  sort: described('now', z.enum(callerSorts), 'As asked.'),
  calls: described('now', count, 'Scored calls of the window, of all callers.'),
  gapCalls: described('now', count, 'Of these, calls in whose hour trades of the token are known to be missing.'),
  callers: described('now', count, 'Callers with such a call.'),
  pooled: described('now', callerValuesSchema, 'The values of all calls of the window together; null without any.'),
  method: callersMethodSchema,
  rows: described('now', z.array(callerRow.schema).max(listMax), 'The first by `sort`.'),
})

export const createCallersLeaderboard = (dependencies: CallsDependencies) =>
  route({
    pattern: '/v1/sol/callers/leaderboard',
    tool: 'sol_callers_leaderboard',
    description:
      'Callers of followed chats by what the hour after their posts brought, shrunk by how little is known; rebuilt hourly.',
    priceUsdMicros: 50_000,
    dependsOn: callsSources(dependencies, 3 * hourMs),
    needs: [hourNeed(dependencies)],
    history: boardHistory,
    coveredUntil: dependencies.queries.rebuiltAt,
    params: { window: windowParam, sort: sortParam, limit: limitParam(listMax, 50, 'callers') },
    schema: leaderboardAnswer,
    async answer({ window, sort, limit }, cut) {
      const board = await dependencies.queries.board(cut, window)
      if (board === null) return refuse('warming_up', noHourYet)
      const { callerIdSecret } = dependencies
      const ranked = rankCallers(board.callers, { sort, callerIdSecret }).slice(0, limit)
      return {
        ...hourlyCallsEnvelope.present({ ...timeOf(cut), rebuiltAtMs: board.rebuiltAtMs, chain: 'all' }),
        ...{ window, sort, calls: board.calls, gapCalls: board.gapCalls, callers: board.callers.length },
        pooled: callerValuesOf(board.pooled),
        method: callersMethod({ board, sort, chains: dependencies.chains }),
        rows: ranked.map((row) => callerRow.present(row, { callerIdSecret })),
      }
    },
  })
