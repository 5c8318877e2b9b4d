/** The table of the calls of all chains, with their returns. */

import type { Call } from '../../../schemas/calls/derived.ts'
import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import { flag, float64, int32, int64, nullable, plain, text } from '../../columns.ts'
import { tableOfChains } from '../../table.ts'

const chats = plain<Call['chats']>(
  'Array(Tuple(chat String, chatName Nullable(String), firstAtMs Int64, posts Int32, posters Array(String)))',
)

const key = ['called_at_ms', 'token'] as const

export const calls = tableOfChains<Call>()({
  name: 'calls',
  naturalKey: key,
  bySubject: { token: 'token', time: 'called_at_ms' },
  order: key,
  partition: { column: 'called_at_ms', everyMs: dayMs },
  columns: {
    token: text((_, { logKey }) => logKey),
    called_at_ms: int64(({ calledAtMs }) => calledAtMs),
    first_seen_at_ms: int64(({ firstSeenAtMs }) => firstSeenAtMs),
    is_late: flag(({ isLate }) => isLate),
    has_code: nullable(flag)(({ hasCode }) => hasCode),
    chats: chats((call) =>
      call.chats.map(({ chat, chatName, firstAtMs, posts, posters }) => ({
        ...{ chat, chatName, firstAtMs, posts, posters },
      })),
    ),
    recalls: int32(({ recalls }) => recalls),
    anchor_at_ms: nullable(int64)(({ anchor }) => anchor?.atMs ?? null),
    anchor_px: nullable(float64)(({ anchor }) => anchor?.px ?? null),
    anchor_mcap_usd: nullable(float64)(({ anchor }) => anchor?.mcapUsd ?? null),
    anchor_mcap_coin: nullable(float64)(({ anchor }) => anchor?.mcapCoin ?? null),
    anchor_source: nullable(text)(({ anchor }) => anchor?.source ?? null),
    anchor_is_asked: nullable(flag)(({ anchor }) => anchor?.isAsked ?? null),
    stage: nullable(text)(({ stage }) => stage),
    triggered: nullable(text)(({ triggered }) => triggered),
    last_sample_at_ms: nullable(int64)(({ lastSampleAtMs }) => lastSampleAtMs),
    last_ret: nullable(float64)(({ lastRet }) => lastRet),
    ret_1h: nullable(float64)(({ ret1h }) => ret1h),
    ret_4h: nullable(float64)(({ ret4h }) => ret4h),
    ret_12h: nullable(float64)(({ ret12h }) => ret12h),
    ret_24h: nullable(float64)(({ ret24h }) => ret24h),
    ret_48h: nullable(float64)(({ ret48h }) => ret48h),
    max_ret: nullable(float64)(({ maxRet }) => maxRet),
    max_at_ms: nullable(int64)(({ maxAtMs }) => maxAtMs),
    dip_before_max: nullable(float64)(({ dipBeforeMax }) => dipBeforeMax),
    rugged_at_ms: nullable(int64)(({ ruggedAtMs }) => ruggedAtMs),
    is_dead: flag(({ isDead }) => isDead),
    is_done: flag(({ isDone }) => isDone),
  },
  withdrawn: ({ atMs }: Readonly<{ atMs: EpochMs }>, token) => ({ token, called_at_ms: atMs }),
})
