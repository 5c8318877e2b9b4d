/**
 * Computes the expected answers of the routes about calls, for a cut (the time for which a route answers).
 * The answers come from a second count of the recorded facts.
 */
import { type Asking, callerId, chatId, clockOf, hourMs, sourceNames } from './asking.ts'
import type { CallRow } from './recount.ts'

type Row = Readonly<Record<string, unknown>>

/** Returns false if the called address has no contract code. The answers leave such calls out. */
const isToken = ({ hasCode }: CallRow): boolean => hasCode !== false

/**
 * A call is followed for 48 hours. The list is rebuilt each hour, so it also has calls whose 48 hours ended
 * within the last hour.
 */
const endedWithinMs = hourMs
const watchMs = 48 * hourMs

/**
 * Returns the expected rows of the list of outcomes, without `callId` and `knownAt`. The keys are chain,
 * token and time of the call. `soldAtMs` is the time at which ages are measured.
 */
export function outcomesOf(asking: Asking, soldAtMs: number): ReadonlyMap<string, Row> {
  const clock = clockOf(asking)
  const rows = asking.counted
    .rowsAt(asking.cutAtMs)
    .filter(isToken)
    .filter(({ calledAtMs }) => calledAtMs > clock - watchMs - endedWithinMs && calledAtMs <= clock - hourMs)
  return new Map(
    rows.map((row) => [`${row.chain} ${row.token} ${row.calledAtMs}`, outcomeOf(untilClock(row, clock), soldAtMs)]),
  )
}

/**
 * Removes returns that lie after `clock`. The sold list leaves these returns out, even if the service already
 * knows them.
 */
function untilClock(row: CallRow, clock: number): CallRow {
  const at = (hours: number, ret: number | null) => (row.calledAtMs + hours * hourMs <= clock ? ret : null)
  const { ret1h, ret4h, ret12h, ret24h, ret48h } = row
  return {
    ...row,
    ...{ ret1h: at(1, ret1h), ret4h: at(4, ret4h), ret12h: at(12, ret12h), ret24h: at(24, ret24h) },
    ...{ ret48h: at(48, ret48h), isDone: row.isDone && row.calledAtMs + watchMs <= clock },
  }
}

const inHours = (atMs: number | null, { calledAtMs }: CallRow): number | null =>
  atMs === null ? null : (atMs - calledAtMs) / hourMs

function outcomeOf(row: CallRow, soldAtMs: number): Row {
  const { chain, token, calledAtMs: calledAt, chats, ruggedAtMs, recalls } = row
  const { ret1h, ret4h, ret12h, ret24h, ret48h, maxRet, dipBeforeMax, maxAtMs, isDead: dead, isDone: done } = row
  return {
    ...{ chain: sourceNames[chain], mint: token, calledAt, ageH: (soldAtMs - calledAt) / hourMs, done },
    callers: chats.flatMap(({ chat, posters }) => posters.map((poster) => callerId(chat, poster))).sort(),
    chatIds: chats.map(({ chat }) => chatId(chat)).sort(),
    chats: chats.flatMap(({ chatName }) => (chatName === null ? [] : [`@${chatName}`])).sort(),
    ...{ nChats: chats.length, nPrivateChats: chats.filter(({ chatName }) => chatName === null).length },
    ...{ ret1h, ret4h, ret12h, ret24h, ret48h, maxRet, maxAtH: inHours(maxAtMs, row), dipBeforeMax, dead, recalls },
    ...{ rugged: ruggedAtMs !== null, ruggedAtH: inHours(ruggedAtMs, row), gaps: null },
  }
}

/** Returns the expected rows for the calls of the last `minutes`. The keys are token and time of the call. */
export function liveOf(asking: Asking, minutes: number): ReadonlyMap<string, Row> {
  const clock = clockOf(asking)
  const rows = asking.counted
    .rowsAt(asking.cutAtMs)
    .filter(({ calledAtMs }) => calledAtMs > clock - minutes * 60_000 && calledAtMs <= clock)
    .filter((row, _, all) => isToken(row) || !all.some((other) => isToken(other) && other.token === row.token))
  return new Map(rows.map((row) => [`${row.token} ${row.calledAtMs}`, liveRowOf(row)]))
}

/** `mcapUsd` and the text of `pxSrc` are not compared. */
function liveRowOf(row: CallRow): Row {
  const { chain, token, calledAtMs, chats, anchor, lastRet, maxRet, stage, ruggedAtMs, recalls } = row
  const isPrivate = ({ chatName }: CallRow['chats'][number]) => chatName === null
  const posts = (its: CallRow['chats']) => its.reduce((sum, each) => sum + each.posts, 0)
  return {
    ...{
      chain: isToken(row) ? sourceNames[chain] : undefined,
      mint: token,
      calledAt: calledAtMs,
      nChats: chats.length,
    },
    ...{ nPrivateChats: chats.filter(isPrivate).length, nPublicChats: chats.filter((chat) => !isPrivate(chat)).length },
    ...{ nPosts: recalls + 1, nPrivatePosts: posts(chats.filter(isPrivate)) },
    ...{ t: anchor?.atMs ?? null, px: anchor?.px ?? null, moveSince: lastRet, maxSince: maxRet },
    ...{ lastSampleAt: row.lastSampleAtMs, stage: stageNames[stage ?? ''] ?? null, rugged: ruggedAtMs !== null },
    gaps: null,
  }
}

const stageNames: Readonly<Record<string, string>> = {
  ...{ curve_0_25: 'curve-0-25', curve_25_55: 'curve-25-55', curve_55_100: 'curve-55-100' },
  ...{ pool_under_1h: 'pool-<1h', pool_1_6h: 'pool-1-6h', pool_6_24h: 'pool-6-24h', pool_over_24h: 'pool->24h' },
}
