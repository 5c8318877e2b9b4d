/** The table of scores: the returns in the hour after each caller’s post, on all chains. */

import type { CallScored } from '../../../schemas/calls/derived.ts'
import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import { flag, float64, int32, int64, nullable, text } from '../../columns.ts'
import { tableOfChains } from '../../table.ts'

const key = ['posted_at_ms', 'token', 'chat', 'post'] as const

export const callScores = tableOfChains<CallScored>()({
  name: 'call_scores',
  naturalKey: key,
  order: key,
  partition: { column: 'posted_at_ms', everyMs: dayMs },
  columns: {
    token: text((_, { logKey }) => logKey),
    posted_at_ms: int64(({ postedAtMs }) => postedAtMs),
    chat: text(({ chat }) => chat),
    post: int64(({ post }) => post),
    chat_name: nullable(text)(({ chatName }) => chatName),
    poster: text(({ poster }) => poster),
    token_count: int32(({ tokenCount }) => tokenCount),
    unscored: nullable(text)(({ unscored }) => unscored),
    anchor_at_ms: nullable(int64)(({ anchorAtMs }) => anchorAtMs),
    ret_1: nullable(float64)(({ ret1 }) => ret1),
    ret_5: nullable(float64)(({ ret5 }) => ret5),
    ret_15: nullable(float64)(({ ret15 }) => ret15),
    ret_60: nullable(float64)(({ ret60 }) => ret60),
    mfe: nullable(float64)(({ mfe }) => mfe),
    mae: nullable(float64)(({ mae }) => mae),
    is_win_35: nullable(flag)(({ isWin35 }) => isWin35),
    rugged_at_ms: nullable(int64)(({ ruggedAtMs }) => ruggedAtMs),
    is_asked: flag(({ isAsked }) => isAsked),
  },
  withdrawn: ({ atMs, name: place }: Readonly<{ atMs: EpochMs; name: string }>, token) => {
    // `name` is `chat:post`.
    const end = place.lastIndexOf(':')
    return { token, posted_at_ms: atMs, chat: place.slice(0, end), post: Number(place.slice(end + 1)) }
  },
})
