/** Buys the routes about calls at a whole hour, and compares the answers with the recount. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { compareBodies, createTally, type Sold, type Tally } from '../answers/compare.ts'
import type { Shop } from '../answers/shop.ts'
import { twoAtATime } from '../answers/two-at-a-time.ts'
import { liveOf, outcomesOf } from './answers.ts'
import type { Asking } from './asking.ts'
import { boardOf, type K, type Window } from './board.ts'
import { editionAt } from './edition.ts'
import { precallsOf } from './precalls.ts'
import type { Recount } from './recount.ts'

type Body = Readonly<Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>

const outcomesPath = '/v1/sol/calls/outcomes?hours=48&limit=2000'
const liveMinutes = 120
const livePath = `/v1/sol/calls/live?minutes=${liveMinutes}`
const boardPath = (window: Window) => `/v1/sol/callers/leaderboard?window=${window}&limit=200`
const windows = ['24h', '7d', '30d'] as const
const precallPath = (token: string) => `/v1/rh/token/${token}/precall`
const precallsMost = 60
/**
 * Buys precalls only for calls older than this time, in milliseconds. By then the service has looked up the
 * buyers before the call.
 */
const settledMs = 180_000

export async function buyAll(shop: Shop, database: Database, cutAtMs: number): Promise<readonly Sold[]> {
  const called = await database.query<Readonly<{ token: string }>>(
    `SELECT token FROM proof_mentions WHERE chain = 'chain-a' AND kind = 'call' AND posted <= ${cutAtMs - settledMs}
     GROUP BY token HAVING min(posted) > ${cutAtMs - 47 * 3_600_000} ORDER BY min(posted) DESC LIMIT ${precallsMost}`,
  )
  const paths = [outcomesPath, livePath, ...windows.map(boardPath), ...called.map(({ token }) => precallPath(token))]
  return twoAtATime(paths, async (path) => ({ path, cutAtMs, body: await shop.seek(path, cutAtMs) }))
}

export function check(sold: readonly Sold[], counted: Recount): ReadonlyMap<string, Tally> {
  const byRoute = new Map(['outcomes', 'live', 'leaderboard', 'precall'].map((route) => [route, createTally()]))
  const precalls = new Map<number, ReadonlyMap<string, Row>>()
  for (const { path, cutAtMs, body } of sold) {
    const at: Asking = { counted, cutAtMs }
    const edition = editionOf(body as Body | null, at)
    const tally = byRoute.get(/outcomes|live|leaderboard|precall/.exec(path)?.[0] ?? '')
    if (tally === undefined) continue
    const compare = (where: string, is: unknown, expected: unknown) =>
      compareBodies(is, expected, { tally, ids: new Map(), where })
    tally.rows += body === null ? 0 : rowsIn(body as Body)
    if (path === outcomesPath)
      compare('outcomes', soldOutcomes(body as Body), Object.fromEntries(outcomesOf(edition, cutAtMs)))
    else if (path === livePath) compare('live', soldLive(body as Body), Object.fromEntries(liveOf(at, liveMinutes)))
    else if (path.includes('leaderboard')) checkBoard(edition, path, { body: body as Body, compare })
    else {
      const its = precalls.get(cutAtMs) ?? precallsOf(at)
      precalls.set(cutAtMs, its)
      checkPrecall(its, path, { body: body as Body | null, compare })
    }
  }
  return byRoute
}

/** Returns the cut of an answer. An hourly list answers for the hour in its `rebuiltAt` field. */
const editionOf = (body: Body | null, at: Asking): Asking =>
  typeof body?.rebuiltAt === 'number' ? editionAt(at.counted, body.rebuiltAt, at.cutAtMs) : at

const tokenOf = (path: string): string => path.split('/')[4] ?? ''

function checkPrecall(precalls: ReadonlyMap<string, Row>, path: string, { body, compare }: ComparingSought): void {
  const expected = precalls.get(tokenOf(path))
  if (expected === undefined || body === null) compare(path, body && 'a precall', expected ? 'a precall' : null)
  else compare(path, picked(body, Object.keys(expected)), expected)
}

const rowsIn = ({ calls, rows }: Body): number =>
  (Array.isArray(calls) ? calls : Array.isArray(rows) ? rows : [null]).length

/** Chats and callers are sorted, because posts of one second have no fixed order. */
function soldOutcomes({ calls }: Body): Row {
  const rows = (calls as readonly Row[]).map(({ callId: _, knownAt: __, ...row }) => {
    const sorted = (name: string) => [...(row[name] as readonly string[])].sort()
    const named = { callers: sorted('callers'), chatIds: sorted('chatIds'), chats: sorted('chats') }
    const chain = row.chain === 'chainA' ? 'chain-a' : 'chain-b'
    return [`${chain} ${row.mint} ${row.calledAt}`, { ...row, ...named }] as const
  })
  return Object.fromEntries(rows)
}

/** Keeps only the fields that the recount also has. */
function soldLive({ calls }: Body): Row {
  const rows = (calls as readonly Row[]).map((row) => {
    const { mint, firstSeenAt: _, atCall, calledAt, ...its } = row
    const { t = null, px = null } = (atCall ?? {}) as Row
    const names = ['nChats', 'nPrivateChats', 'nPublicChats', 'nPosts', 'nPrivatePosts', 'moveSince', 'maxSince']
    const told = picked(its, [...names, 'lastSampleAt', 'stage', 'rugged', 'gaps', 'chain'])
    return [`${mint} ${calledAt}`, { ...told, mint, calledAt, t, px }] as const
  })
  return Object.fromEntries(rows)
}

type ComparingSought = Readonly<{ body: Body | null; compare: Comparing['compare'] }>
type Comparing = Readonly<{ body: Body; compare: (where: string, is: unknown, expected: unknown) => void }>

/** The reasons of the recount, by the name that the answer gives to the count of the reason. */
const leftOut = {
  ...{ lateAnchorsExcluded: 'late_anchor', noPriceExcluded: 'no_price' },
  ...{ unansweredExcluded: 'unanswered', tooManyExcluded: 'too_many' },
}

function checkBoard(at: Asking, path: string, { body, compare }: Comparing): void {
  const method = body.method as Readonly<Record<string, number>> & Readonly<{ shrink: Readonly<{ kByMetric: K }> }>
  const window = /window=(\w+)/.exec(path)?.[1] as Window
  const board = boardOf(at, window, method.shrink.kByMetric)
  const where = `leaderboard ${window}`
  compare(where, body.calls, board.calls)
  // The simulated chains have no missing trades.
  compare(`${where} gapCalls`, body.gapCalls, 0)
  compare(where, body.callers, board.callers)
  compare(where, body.pooled, board.pooled)
  for (const [name, reason] of Object.entries(leftOut))
    compare(`${where} ${name}`, method[name], board.left.get(reason) ?? 0)
  compare(`${where} askedCount`, method.askedCount, board.asked)
  const rows = (body.rows as readonly Row[]).map(({ rank: _, interval90: __, ...row }) => row)
  const names = rows.map(({ callerId }) => callerId as string)
  compare(
    where,
    Object.fromEntries(rows.map((row) => [row.callerId, row])),
    picked(Object.fromEntries(board.rows), names),
  )
  const wins = rows.map(({ win35 }) => Number(win35))
  compare(
    `${where} order`,
    wins,
    [...wins].sort((one, other) => other - one),
  )
}

const picked = (row: Row, names: readonly string[]): Row => Object.fromEntries(names.map((name) => [name, row[name]]))
