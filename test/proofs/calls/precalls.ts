/** Precalls at a cut: prices by the recount, buyers from their facts. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { bornAtMs, deepestAt, firstPriceIn, isFollowedAt } from '../../support/oracle/calls/lines.ts'
import { keptMarkets } from '../../support/oracle/calls/watch.ts'
import { type Asking, hourMs } from './asking.ts'
import type { CallRow } from './recount.ts'

type Row = Readonly<Record<string, unknown>>

const pre = {
  lookBackMs: 600_000,
  runMs: 3_600_000,
  youngMs: 1_800_000,
  runLimit: 3,
  cluster: 5,
  listMax: 40,
  askedMax: 500,
  /** A post that becomes known later has no past. */
  lateMs: 900_000,
  answerWithinMs: 15_000,
} as const

/** `isAsked`: the chain does not tell the buyer, so the sender of the transaction is asked for. */
type Buy = readonly [
  ...[at: number, ord: number, block: number, eth: number, tx: string, wallet: string | null],
  ...[isAsked: 0 | 1, market: string],
]

/** Of the newest calls of chain A of the last 48 hours, by token. */
export async function precallsOf(database: Database, asking: Asking): Promise<ReadonlyMap<string, Row>> {
  const { counted, cutAtMs } = asking
  const newest = new Map<string, CallRow>()
  for (const row of counted.rowsAt(cutAtMs)) {
    const { calledAtMs, chain, hasCode } = row
    const isIn = calledAtMs <= cutAtMs - 180_000 && calledAtMs > cutAtMs - 47 * hourMs
    if (chain === 'chain-a' && isIn && hasCode !== false) newest.set(row.token, row)
  }
  const buys = await buysOf(database, newest)
  return new Map([...newest].map(([token, row]) => [token, precallOf(asking, row, buys.get(token) ?? [])]))
}

async function buysOf(
  database: Database,
  calls: ReadonlyMap<string, CallRow>,
): Promise<ReadonlyMap<string, readonly Buy[]>> {
  await database.command(
    'CREATE OR REPLACE TABLE proof_calls (token String, called Int64) ENGINE = MergeTree ORDER BY tuple()',
  )
  const called = [...calls].map(([token, { calledAtMs }]) => [token, calledAtMs])
  if (called.length > 0) await database.insert({ table: 'proof_calls', columns: ['token', 'called'], rows: called })
  const rows = await database.query<Readonly<{ token: string; buys: readonly Buy[] }>>(
    `SELECT y.token AS token,
       arraySort(groupArray((y.at, y.ord, y.block, y.eth, y.tx, coalesce(y.trader, z.sender), isNull(y.trader), y.market))) AS buys
     FROM proof_buys AS y INNER JOIN proof_calls AS m ON y.token = m.token
     LEFT JOIN (SELECT tx, any(toNullable(sender)) AS sender FROM proof_senders GROUP BY tx) AS z ON z.tx = y.tx
     WHERE y.at <= m.called AND y.at > m.called - ${pre.lookBackMs} GROUP BY y.token`,
  )
  return new Map(rows.map(({ token, buys }) => [token, buys]))
}

function precallOf({ counted, cutAtMs }: Asking, row: CallRow, buys: readonly Buy[]): Row {
  const postedAt = row.calledAtMs
  const its = counted.tokens.find(({ token, chain }) => token === row.token && chain === row.chain)
  if (its === undefined) throw new TypeError(`nothing is told of ${row.token}`)
  const told = counted.toldAt(its, cutAtMs)
  const markets = keptMarkets(told)
  const mention = row.posts[0]?.mention
  const isInTime = mention !== undefined && mention.seenAtMs - postedAt <= pre.lateMs
  const at = isInTime ? deepestAt(markets, postedAt) : null
  if (at === null) {
    const answer = isInTime ? told.answerTo(postedAt, 0)?.answer : undefined
    const isSoon = answer !== undefined && answer.answeredAtMs - postedAt <= pre.answerWithinMs
    return untrackedOf(postedAt, isSoon ? (answer.price?.change1h ?? null) : null)
  }
  const fromMs = postedAt - pre.runMs
  const sinceMs = deepestAt(markets, fromMs) ? fromMs : firstPriceIn(markets, fromMs, postedAt)
  const before = sinceMs === null ? null : deepestAt(markets, sinceMs)
  const seen = buys.filter(([atMs, , , , , , , market]) => isFollowedAt(markets, market, Number(atMs)))
  return trackedOf(seen, {
    ...{ postedAt, run60: before === null ? null : at.px / before.px },
    ageMs: postedAt - (bornAtMs(markets, postedAt) ?? postedAt),
  })
}

/** Nothing was known of the token at the post but what the price lookup said. */
function untrackedOf(postedAt: number, change: number | null): Row {
  const run60 = change === null ? null : 1 + change
  return {
    ...{ postedAt, tracked: false, buys: null, buyEth: null, sameBlockMaxTx: null, run60 },
    ...{ ageAtCallMin: null, chg1h0: change === null ? null : change * 100, wallets: null, sameBlockWallets: null },
    ...{ walletList: [], flags: run60 !== null && run60 >= pre.runLimit ? ['run'] : [] },
    gaps: null,
  }
}

type Before = Readonly<{ postedAt: number; run60: number | null; ageMs: number }>

function trackedOf(buys: readonly Buy[], { postedAt, run60, ageMs }: Before): Row {
  const asked = new Set(
    [...new Set(buys.flatMap(([, , , , tx, , isAsked]) => (isAsked ? [tx] : [])))].slice(-pre.askedMax),
  )
  const walletOf = ([, , , , tx, wallet, isAsked]: Buy) => (isAsked && !asked.has(tx) ? null : wallet)
  const mostIn = (of: (buy: Buy) => string | null) =>
    Math.max(
      0,
      ...[...new Set(buys.map(([, , block]) => block))].map(
        (block) => new Set(buys.flatMap((buy) => (buy[2] === block ? (of(buy) ?? []) : []))).size,
      ),
    )
  const wallets = [...new Set(buys.flatMap((buy) => walletOf(buy) ?? []))]
  const sameBlockWallets = mostIn(walletOf)
  return {
    ...{ postedAt, tracked: true, buys: buys.length, buyEth: buys.reduce((sum, [, , , eth]) => sum + eth, 0) },
    ...{ sameBlockMaxTx: mostIn(([, , , , tx]) => tx), run60, ageAtCallMin: ageMs / 60_000 },
    ...{ wallets: wallets.length, sameBlockWallets, walletList: wallets.slice(0, pre.listMax) },
    gaps: null,
    flags: [
      ...(run60 !== null && run60 >= pre.runLimit ? ['run'] : []),
      ...(ageMs < pre.youngMs ? ['young'] : []),
      ...(sameBlockWallets >= pre.cluster ? ['cluster'] : []),
    ],
  }
}
