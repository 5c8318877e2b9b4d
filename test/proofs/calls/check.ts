/** Buys what tells of calls at a whole hour, and holds it against the recount. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { compareBodies, createTally, type Sold, type Tally } from '../answers/compare.ts'
import type { Shop } from '../answers/shop.ts'
import { twoAtATime } from '../answers/two-at-a-time.ts'
import { type Asking, boardOf, type K, outcomesOf, precallsOf, type Window } from './answers.ts'

type Body = Readonly<Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>

const outcomesPath = '/v1/sol/calls/outcomes?hours=48&limit=2000'
const boardPath = (window: Window) => `/v1/sol/callers/leaderboard?window=${window}&limit=200`
const windows = ['24h', '7d', '30d'] as const
const precallPath = (token: string) => `/v1/rh/token/${token}/precall`
const precallsMost = 60
/** A call is older than this where its buyers are asked for. */
const settledMs = 180_000

export async function buyAll(shop: Shop, database: Database, cutAtMs: number): Promise<readonly Sold[]> {
  const called = await database.query<Readonly<{ token: string }>>(
    `SELECT token FROM proof_mentions WHERE chain = 'chain-a' AND kind = 'call' AND posted <= ${cutAtMs - settledMs}
     GROUP BY token HAVING min(posted) > ${cutAtMs - 47 * 3_600_000} ORDER BY min(posted) DESC LIMIT ${precallsMost}`,
  )
  const paths = [outcomesPath, ...windows.map(boardPath), ...called.map(({ token }) => precallPath(token))]
  return twoAtATime(paths, async (path) => ({ path, cutAtMs, body: await shop.buy(path, cutAtMs) }))
}

export async function check(
  sold: readonly Sold[],
  asking: Omit<Asking, 'cutAtMs'>,
): Promise<ReadonlyMap<string, Tally>> {
  const byRoute = new Map(['outcomes', 'leaderboard', 'precall'].map((route) => [route, createTally()]))
  const precalls = new Map<number, ReadonlyMap<string, Row>>()
  for (const { path, cutAtMs, body } of sold) {
    const at = { ...asking, cutAtMs }
    const tally = byRoute.get(/outcomes|leaderboard|precall/.exec(path)?.[0] ?? '')
    if (tally === undefined) continue
    const compare = (where: string, is: unknown, expected: unknown) =>
      compareBodies(is, expected, { tally, ids: new Map(), where: `${where} at ${cutAtMs}` })
    tally.rows += rowsIn(body as Body)
    if (path === outcomesPath)
      compare('outcomes', soldOutcomes(body as Body), Object.fromEntries(await outcomesOf(at, 48)))
    else if (path.includes('leaderboard')) await checkBoard(at, path, { body: body as Body, compare })
    else {
      const its = precalls.get(cutAtMs) ?? (await precallsOf(at))
      precalls.set(cutAtMs, its)
      const token = path.split('/')[4] as string
      const expected = its.get(token)
      if (expected === undefined) tally.differences.push(`${path}: the recount has none`)
      else compare(path, picked(body as Row, Object.keys(expected)), expected)
    }
  }
  return byRoute
}

const rowsIn = ({ calls, rows }: Body): number =>
  (Array.isArray(calls) ? calls : Array.isArray(rows) ? rows : [null]).length

/** The order of chats and callers is that of posts of one second. */
function soldOutcomes({ calls }: Body): Row {
  const rows = (calls as readonly Row[]).map(({ callId: _, knownAt: __, ...row }) => {
    const sorted = (name: string) => [...(row[name] as readonly string[])].sort()
    const named = { callers: sorted('callers'), chatIds: sorted('chatIds'), chats: sorted('chats') }
    const chain = row.chain === 'chainA' ? 'chain-a' : 'chain-b'
    return [`${chain} ${row.mint}`, { ...row, ...named }] as const
  })
  return Object.fromEntries(rows)
}

type Checking = Readonly<{ body: Body; compare: (where: string, is: unknown, expected: unknown) => void }>

async function checkBoard(at: Asking, path: string, { body, compare }: Checking): Promise<void> {
  const method = body.method as Readonly<{ shrink: Readonly<{ k: K }>; lateAnchorsExcluded: number }>
  const window = /window=(\w+)/.exec(path)?.[1] as Window
  const board = await boardOf(at, window, method.shrink.k)
  const where = `leaderboard ${window}`
  compare(where, body.calls, board.calls)
  compare(where, body.callers, board.callers)
  compare(where, body.pooled, board.pooled)
  compare(where, method.lateAnchorsExcluded, board.late)
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
