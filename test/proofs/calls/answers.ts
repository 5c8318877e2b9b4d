/** What the routes should answer at a whole hour, by the recount. */
import { createHmac } from 'node:crypto'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { callerIdSecret } from './project.ts'
import type { Rules } from './recount.ts'

type Row = Readonly<Record<string, unknown>>
export type Asking = Readonly<{ database: Database; cutAtMs: number; rules: Rules }>

const hourMs = 3_600_000
const marks = { ret1h: 6, ret4h: 24, ret12h: 72, ret24h: 144, ret48h: 288 } as const
const deadAfter = 18
const tie = 1e-12

const hashed = (text: string): string => createHmac('sha1', callerIdSecret).update(text).digest('hex')
const callerId = (chat: string, poster: string) => hashed(`caller:${chat}:${poster}`)
const chatId = (chat: string) => hashed(`chat:${chat}`)

/** Until when the chats were followed. */
async function clockOf({ database, cutAtMs }: Asking): Promise<number> {
  const [row] = await database.query<Readonly<{ clock: string }>>(
    `SELECT max(block_at) AS clock FROM proof_ticks WHERE chain = 'chats' AND known <= ${cutAtMs}`,
  )
  return Number(row?.clock)
}

type Post = readonly [posted: number, ord: number, chat: string, name: string | null, poster: string]
type Outcome = Readonly<{
  chain: string
  token: string
  called: string
  anchor: number | null
  posts: readonly Post[]
  /** Number, price or 0 for none, -1 where nobody said. */
  samples: readonly (readonly [k: number, px: number])[]
}>

/** By token; without `callId` and `knownAt`. */
export async function outcomesOf(asking: Asking, hours: number): Promise<ReadonlyMap<string, Row>> {
  const { database, cutAtMs } = asking
  const clock = await clockOf(asking)
  const rows = await database.query<Outcome>(
    `SELECT c.chain AS chain, c.token AS token, c.called AS called, c.anchor AS anchor, p.posts AS posts, s.samples AS samples
     FROM proof_calls AS c
     INNER JOIN (SELECT chain, token, arraySort(groupArray((posted, ord, chat, chat_name, poster))) AS posts
       FROM (SELECT * FROM proof_posts WHERE next <= ${cutAtMs} ORDER BY posted, ord LIMIT 1 BY chain, token, chat, post)
       GROUP BY chain, token) AS p USING (chain, token)
     LEFT JOIN (SELECT chain, token, arraySort(groupArray((k, if(known > ${cutAtMs}, -1, coalesce(px, 0))))) AS samples
       FROM proof_samples WHERE due_known <= ${cutAtMs} GROUP BY chain, token) AS s USING (chain, token)
     WHERE c.called > ${clock - hours * hourMs} AND c.called <= ${clock - hourMs}`,
  )
  return new Map(rows.map((row) => [`${row.chain} ${row.token}`, outcomeOf(row, { clock, asking })]))
}

function outcomeOf(
  { chain, token, called, anchor, posts, samples: all }: Outcome,
  { clock, asking: { rules } }: Readonly<{ clock: number; asking: Asking }>,
): Row {
  const calledAt = Number(called)
  const px = all.map(([, value]) => value)
  const dead = deadOf(px)
  const alive = anchor === null ? [] : px.slice(0, dead ?? px.length)
  const rets = alive.map((value) => (value > 0 ? value / Number(anchor) - 1 : null))
  const known = rets.filter((ret) => ret !== null)
  const high = known.length === 0 ? null : Math.max(...known)
  // Of one state, a price counted here and one that the lookup answered may differ in the last digit: they are one high.
  const highAt = rets.findIndex((ret) => ret !== null && high !== null && ret >= high - tie * (1 + Math.abs(high)))
  const retAt = (k: number) => {
    if (px.length < k) return null
    return dead !== null && k > dead ? -1 : (rets[k - 1] ?? null)
  }
  const chats = [...new Map(posts.map(([, , chat, name]) => [chat, name]))]
  return {
    ...{ chain: chain === 'chain-a' ? 'chainA' : 'chainB', mint: token, calledAt, ageH: (clock - calledAt) / hourMs },
    done: px.length >= 288,
    callers: chats
      .flatMap(([chat]) => [
        ...new Set(posts.filter((post) => post[2] === chat).map(([, , , , poster]) => callerId(chat, poster))),
      ])
      .sort(),
    chatIds: chats.map(([chat]) => chatId(chat)).sort(),
    chats: chats.flatMap(([, name]) => (name === null ? [] : [`@${name}`])).sort(),
    ...{ nChats: chats.length, nPrivateChats: chats.filter(([, name]) => name === null).length },
    ...Object.fromEntries(Object.entries(marks).map(([name, k]) => [name, retAt(k)])),
    maxRet: high,
    maxAtH: high === null ? null : ((highAt + 1) * rules.sampleMs) / hourMs,
    dipBeforeMax:
      high === null ? null : Math.min(...rets.slice(0, highAt + 1).filter((ret): ret is number => ret !== null)),
    dead: dead !== null,
    recalls: posts.length - 1,
  }
}

/** The number of the sample with which three hours were without a price. */
function deadOf(px: readonly number[]): number | null {
  let run = 0
  for (const [index, value] of px.entries()) {
    run = value === 0 ? run + 1 : 0
    if (run === deadAfter) return index + 1
  }
  return null
}

const windows = { '24h': 24, '7d': 168, '30d': 720 } as const
export type Window = keyof typeof windows
const rates = ['hit15', 'win35', 'x2', 'rug'] as const
const medians = ['ret1', 'ret5', 'ret15', 'ret60', 'mfe', 'mae'] as const
type Rate = (typeof rates)[number]
type Median = (typeof medians)[number]
export type K = Readonly<Record<Rate | Median, number>>

type Scored = Readonly<Record<Median, number | null>> &
  Readonly<Record<Rate, number>> &
  Readonly<{ chat: string; poster: string; chatName: string | null; posted: string; weight: number }>

export type Board = Readonly<{
  calls: number
  callers: number
  late: number
  rows: ReadonlyMap<string, Row>
  pooled: Row
}>

/** By caller. `k` is what the answer says: that it is well chosen is held elsewhere. */
export async function boardOf(asking: Asking, window: Window, k: K): Promise<Board> {
  const { database, cutAtMs, rules } = asking
  const clock = await clockOf(asking)
  const inWindow = `known <= ${cutAtMs} AND posted > ${clock - windows[window] * hourMs} AND posted <= ${clock}`
  const scored = await database.query<Scored>(
    `SELECT chat, poster, chat_name AS chatName, posted, if(tokens > 3, 1 / tokens, 1) AS weight, mfe, mae,
       ret_at1 AS ret1, ret_at5 AS ret5, ret_at15 AS ret15, ret_ends AS ret60, mfe >= 0.15 AS hit15, win AS win35, mfe >= 1 AS x2,
       mae <= -0.8 AS rug
     FROM proof_scores WHERE unscored = '' AND ${inWindow} ORDER BY posted, chat, post, token`,
  )
  const [excluded] = await database.query<Readonly<{ late: string }>>(
    `SELECT countIf(unscored = 'late_anchor') AS late FROM proof_scores WHERE ${inWindow}`,
  )
  const byCaller = new Map<string, Scored[]>()
  for (const one of scored) {
    const name = `${one.chat}:${one.poster}`
    byCaller.set(name, [...(byCaller.get(name) ?? []), one])
  }
  const all = weightOf(scored)
  const pooled = valuesOf(scored)
  const rows = [...byCaller.values()].map((its) => {
    const [{ chat, poster }, last] = [its[0] as Scored, its.at(-1) as Scored]
    const own = weightOf(its)
    const raw = valuesOf(its)
    const others = scored.filter((one) => one.chat !== chat || one.poster !== poster)
    const toward = own > 0.05 * all && others.length > 0 ? valuesOf(others) : pooled
    const shrunk = (name: Rate | Median) => {
      const [value, pool, its] = [raw[name] ?? null, toward[name] ?? null, k[name] * rules.kFactor]
      return value === null || pool === null ? value : (own * value + its * pool) / (own + its)
    }
    const row: Row = {
      ...{ callerId: callerId(chat, poster), chatId: chatId(chat), n: its.length, raw },
      ...{ chat: last.chatName === null ? null : `@${last.chatName}`, lastCallAt: Number(last.posted) },
      ...Object.fromEntries(rates.map((name) => [name, shrunk(name)])),
      median: Object.fromEntries(medians.map((name) => [name, shrunk(name)])),
    }
    return [String(row.callerId), row] as const
  })
  return { calls: scored.length, callers: rows.length, late: Number(excluded?.late), rows: new Map(rows), pooled }
}

const weightOf = (scored: readonly Scored[]): number => scored.reduce((sum, { weight }) => sum + Number(weight), 0)

function valuesOf(scored: readonly Scored[]): Readonly<Record<string, number | null>> {
  const all = weightOf(scored)
  const rateOf = (name: Rate) => scored.reduce((sum, one) => sum + Number(one[name]) * Number(one.weight), 0) / all
  return {
    ...Object.fromEntries(rates.map((name) => [name, all === 0 ? null : rateOf(name)])),
    ...Object.fromEntries(medians.map((name) => [name, medianOf(scored.map((one) => one[name]))])),
  }
}

function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((one, other) => one - other)
  const middle = (known.length - 1) / 2
  const [low, high] = [known[Math.floor(middle)], known[Math.ceil(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

const pre = {
  lookBackMs: 600_000,
  runMs: 3_600_000,
  youngMs: 1_800_000,
  runLimit: 3,
  cluster: 5,
  listMax: 40,
  askedMax: 500,
} as const

type Before = Readonly<{
  token: string
  called: string
  px: number | null
  before: number
  first: number
  born: string
  change: number | null
  buys: readonly Buy[]
}>
/** `isAsked`: the chain does not tell the buyer, so the sender of the transaction is asked for. */
type Buy = readonly [
  ...[at: number, ord: number, block: number, eth: number, tx: string, wallet: string | null],
  isAsked: 0 | 1,
]

/** Of the calls of chain A in the last 48 hours, by token. */
export async function precallsOf({ database, cutAtMs }: Asking): Promise<ReadonlyMap<string, Row>> {
  const rows = await database.query<Before>(
    `SELECT c.token AS token, c.called AS called, c.now AS px, c.before AS before, f.px AS first, b.born AS born, w.buys AS buys,
       q.change AS change
     FROM (SELECT a.*, q.px AS before FROM
         (SELECT x.chain AS chain, x.token AS token, x.called AS called, x.called - ${pre.runMs} AS back, p.px AS now
          FROM proof_calls AS x ASOF LEFT JOIN proof_seconds AS p
            ON x.chain = p.chain AND x.token = p.token AND x.called >= p.second) AS a
         ASOF LEFT JOIN proof_seconds AS q ON a.chain = q.chain AND a.token = q.token AND a.back >= q.second) AS c
     LEFT JOIN (SELECT chain, token, argMin(px, second) AS px FROM proof_seconds GROUP BY chain, token) AS f USING (chain, token)
     LEFT JOIN (SELECT chain, token, min(at) AS born FROM proof_births GROUP BY chain, token) AS b USING (chain, token)
     LEFT JOIN (SELECT y.token AS token, arraySort(groupArray((y.at, y.ord, y.block, y.eth, y.tx, coalesce(y.trader, z.sender), isNull(y.trader)))) AS buys
       FROM proof_buys AS y INNER JOIN proof_calls AS m ON y.token = m.token
       LEFT JOIN (SELECT tx, any(toNullable(sender)) AS sender FROM proof_senders GROUP BY tx) AS z ON z.tx = y.tx
       WHERE m.chain = 'chain-a' AND y.at <= m.called AND y.at > m.called - ${pre.lookBackMs} GROUP BY y.token) AS w ON w.token = c.token
     LEFT JOIN (SELECT chain, token, at, any(change_1h) AS change FROM proof_answers GROUP BY chain, token, at) AS q
       ON q.chain = c.chain AND q.token = c.token AND q.at = c.called
     WHERE c.chain = 'chain-a' AND c.called <= ${cutAtMs - 3 * 60_000} AND c.called > ${cutAtMs - 47 * hourMs}`,
  )
  return new Map(rows.map((row) => [row.token, Number(row.px) > 0 ? precallOf(row) : untrackedOf(row)]))
}

/** Nothing was known of the token at the post but what the price lookup said. */
function untrackedOf({ called, change }: Before): Row {
  const run60 = change === null ? null : 1 + change
  return {
    ...{ postedAt: Number(called), tracked: false, buys: null, buyEth: null, sameBlockMaxTx: null, run60 },
    ...{ ageAtCallMin: null, chg1h0: change === null ? null : change * 100, wallets: null, sameBlockWallets: null },
    ...{ walletList: [], flags: run60 !== null && run60 >= pre.runLimit ? ['run'] : [] },
  }
}

function precallOf({ called, px, before, first, born, buys }: Before): Row {
  const postedAt = Number(called)
  const run60 = Number(px) / (before > 0 ? before : first)
  const ageMs = postedAt - Number(born)
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
    flags: [
      ...(run60 >= pre.runLimit ? ['run'] : []),
      ...(ageMs < pre.youngMs ? ['young'] : []),
      ...(sameBlockWallets >= pre.cluster ? ['cluster'] : []),
    ],
  }
}
