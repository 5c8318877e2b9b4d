/** The part of the calls in the front page: the first callers of the board, and the newest calls. */

import { chatNameOf } from '../../infra/public-ids.ts'
import type { CallRow } from '../../projections/calls/queries/calls-queries.ts'
import { type FrontCall, type FrontCaller, type FrontCallsPart, frontColumnTokens } from '../front/parts.ts'
import type { CallsDependencies } from './dependencies.ts'
import { namedChainOf } from './dependencies.ts'
import { rankCallers } from './ranking.ts'
import { callsSources } from './required-sources.ts'
import { isPublic, privateChatsOf } from './resources/call.ts'
import type { RankedCaller } from './resources/caller.ts'

/** The number of callers that are shown. The whole board is sold. */
const callersShown = 5
const callMinutes = 120
const idDigits = 8

export const createFrontCallsPart = (dependencies: CallsDependencies): FrontCallsPart => ({
  stages: callsSources(dependencies, 0).map(({ stage }) => stage),
  async answer(cut) {
    const { queries, callerIdSecret } = dependencies
    const [board, calls] = await Promise.all([
      queries.board(cut, '7d'),
      queries.live(cut, { minutes: callMinutes, chain: null }),
    ])
    const ranked = board === null ? [] : rankCallers(board.callers, { sort: 'win35', callerIdSecret })
    return {
      board: board && {
        callers: ranked.slice(0, callersShown).map(callerOf),
        ...{ count: board.callers.length, calls: board.calls, rebuiltAtMs: board.rebuiltAtMs },
      },
      calls: calls.slice(0, frontColumnTokens).map((call) => callOf(dependencies, call)),
    }
  },
  async namersOf(cut, token) {
    const calls = await dependencies.queries.ofToken(cut, token)
    return calls
      .flatMap(({ chats }) => chats)
      .map((chat) => ({
        chat: isPublic(chat) ? chatNameOf(chat.chatName) : null,
        ...{ atMs: chat.firstAtMs, posts: chat.posts },
      }))
      .sort((left, right) => left.atMs - right.atMs)
  },
})

const callerOf = ({ chatName, callerId, n, shrunk, intervalOf }: RankedCaller): FrontCaller => ({
  chat: chatName === null ? null : chatNameOf(chatName),
  id: callerId.slice(0, idDigits),
  calls: n,
  win: shrunk.win35,
  interval: intervalOf('win35'),
  rug: shrunk.rug,
})

const callOf = (dependencies: CallsDependencies, row: CallRow): FrontCall => ({
  token: row.token,
  chain: row.hasCode === false ? null : namedChainOf(dependencies, row.chain).wireName,
  atMs: row.calledAtMs,
  chats: row.chats.filter(isPublic).map(({ chatName }) => chatNameOf(chatName)),
  privateChats: privateChatsOf(row).length,
  move: row.lastRet,
})
