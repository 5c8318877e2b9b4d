/** The sold rows of bursts, graduations, buys of followed wallets, and leaders at the end of a day. */

import { solBurst } from '../../../api/chain-b/resources/burst.ts'
import { copyBuy } from '../../../api/chain-b/resources/copy-buy.ts'
import { solGrad } from '../../../api/chain-b/resources/graduation.ts'
import { copySummary } from '../../../api/chain-b/routes/copy-stats.ts'
import { walletLeader } from '../../../api/chain-b/routes/leaders.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createChainBQueries } from '../../../projections/chain-b/queries/chain-b.ts'
import type {
  ChainBQueries,
  CopyStatsRow,
  LeaderListRow,
} from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { chainBCopies } from '../../../projections/chain-b/tables/chain-b-copies.ts'
import { createCuts, type StageCut } from '../../../projections/cuts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'

/** A part of a row. Its values depend on the trades of the mint in `(afterMs, toMs]`. */
export type Part = Readonly<{ name: string; afterMs: number; toMs: number }>

export type SoldRow = Readonly<{
  kind: 'burst' | 'graduation' | 'copy'
  /** The name is the same in every run. */
  name: string
  mint: string
  /** The other fields of the row, as text. */
  text: string
  /** The sums that include rows of other mints. The flag of a row does not cover these sums. */
  acrossMints: string
  isFlagged: boolean
  parts: readonly Part[]
  /** The wallet and the time of a followed buy. */
  bought?: Readonly<{ wallet: string; atMs: number }>
}>

/** The sold answer about a wallet. */
export type SoldWallet = Readonly<{
  /** The names of the wallet's listed followed buys. */
  buys: readonly string[]
  /** Buys before this time are not listed. Null: all buys are listed. */
  listedFromMs: number | null
  /** The sums over its own buys, as text. */
  own: string
  /** The wallet's row in the list of leaders, as text. Null: the wallet is not in the list. */
  leader: string | null
}>

export type Sold = Readonly<{ rows: ReadonlyMap<string, SoldRow>; wallets: ReadonlyMap<string, SoldWallet> }>

const minuteMs = 60_000
const hoursMost = 48
const presentation = { chainName: 'chainB', ruleIdSecret: 'a secret', callerIdSecret: 'another secret' } as const

/** `wallets` are those whose followed buys are read. */
export async function readSold(database: Database, wallets: readonly string[]): Promise<Sold> {
  const queries = createChainBQueries({ database })
  const newest = await createCuts({ database }).newest([chainBStage])
  const cut = newest?.stages[chainBStage.name]
  if (!cut) throw new TypeError('no instant is complete')
  const rows = [...(await readBursts(queries, cut)), ...(await readGraduations(queries, cut))]
  const sums = new Map<string, SoldWallet>()
  const list = await queries.leaderList(cut)
  const leaders = new Map(list?.leaders.map((row) => [row.wallet, leaderTextOf(row)]))
  for (const wallet of wallets) {
    const stats = await queries.copyStats(cut, wallet)
    if (stats === null) continue
    // The buys are sorted from new to old. So the first buy of a mint is set last and stays in the map.
    const firstAtMs = new Map(stats.buys.map(({ mint, atMs }) => [mint, atMs]))
    const buys = stats.buys.map((row) => copyRowOf(row, firstAtMs.get(row.mint) ?? row.atMs))
    rows.push(...buys)
    sums.set(wallet, walletOf(stats, buys, leaders.get(wallet) ?? null))
  }
  return { rows: new Map(rows.map((row) => [row.name, row])), wallets: sums }
}

/** Leaves out the rank and the shrunk mean, which depend on all wallets. */
function leaderTextOf(row: LeaderListRow['leaders'][number]): string {
  const { rank: _, evShrunk: __, ...own } = walletLeader.present({ ...row, rank: 1 })
  return textOf(own)
}

/** The wallets with followed buys, those with most buys first. */
export async function buyersOf(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ wallet: string }>(
    `SELECT wallet FROM ${chainBCopies.name} GROUP BY wallet ORDER BY count() DESC, wallet`,
  )
  return rows.map(({ wallet }) => wallet)
}

async function readBursts(queries: ChainBQueries, cut: StageCut): Promise<readonly SoldRow[]> {
  const rows = await queries.burstsLive(cut, { minutes: hoursMost * 60 })
  return rows.map((row): SoldRow => {
    const { gaps, anatomy, ...sold } = solBurst.present(row, presentation)
    const { repeatBuyers = null, ...buyers } = anatomy ?? {}
    const { atMs, mint, windowSec, outcome } = row
    const window = { name: 'window', afterMs: atMs - windowSec * 1000, toMs: atMs }
    const scoredToMs = outcome && (outcome.completedAtMs ?? atMs + 20 * minuteMs)
    const after = scoredToMs === null ? [] : [{ name: 'outcome', afterMs: atMs, toMs: scoredToMs }]
    return {
      ...{ kind: 'burst', name: `burst ${mint} ${atMs}`, mint, isFlagged: gaps !== null, parts: [window, ...after] },
      ...{ text: textOf({ ...sold, anatomy: anatomy && buyers }), acrossMints: textOf({ repeatBuyers }) },
    }
  })
}

async function readGraduations(queries: ChainBQueries, cut: StageCut): Promise<readonly SoldRow[]> {
  const { graduations } = await queries.graduationsHistory(cut, { hours: hoursMost, limit: 100_000 })
  return graduations.map((row): SoldRow => {
    const { gaps, ...sold } = solGrad.present(row)
    const { mint, gradAtMs, path, post } = row
    const pathFromMs = gradAtMs - (path[0]?.beforeSec ?? 0) * 1000
    const parts = [{ name: 'path', afterMs: pathFromMs - 1, toMs: gradAtMs }]
    const burstFromMs = row.burst ? row.burst.atMs - minuteMs : row.launchAtMs
    if (burstFromMs !== null) parts.push({ name: 'burst', afterMs: burstFromMs, toMs: gradAtMs })
    if (post !== null) parts.push({ name: 'after', afterMs: gradAtMs, toMs: post.anchorAtMs + 15 * minuteMs })
    return {
      ...{ kind: 'graduation', name: `graduation ${mint} ${gradAtMs}`, mint, isFlagged: gaps !== null, parts },
      ...{ text: textOf(sold), acrossMints: '' },
    }
  })
}

/** `firstAtMs` is the time of the wallet's first buy of the mint. */
function copyRowOf(row: CopyStatsRow['buys'][number], firstAtMs: number): SoldRow {
  const { gaps, otherLeaders, ...sold } = copyBuy.present(row)
  const { mint, atMs, txHash, logIndex } = row
  const parts = [{ name: 'hour', afterMs: atMs - 1, toMs: atMs + 60 * minuteMs }]
  if (sold.leaderNext !== null) parts.push({ name: 'holding', afterMs: firstAtMs - 60 * minuteMs - 1, toMs: atMs })
  if (sold.curveAt === 1) parts.push({ name: 'completion', afterMs: atMs - 5 * minuteMs, toMs: atMs })
  return {
    ...{ kind: 'copy', name: `copy ${mint} ${txHash} ${logIndex}`, mint, isFlagged: gaps !== null, parts },
    ...{ text: textOf(sold), acrossMints: textOf({ otherLeaders }), bought: { wallet: row.wallet, atMs } },
  }
}

function walletOf({ summary, buys }: CopyStatsRow, rows: readonly SoldRow[], leader: string | null): SoldWallet {
  const { evShrunk: _, rank: __, ...own } = copySummary.present(summary)
  const listedFromMs = buys.length < summary.buys ? (buys.at(-1)?.atMs ?? null) : null
  return { buys: rows.map(({ name }) => name), listedFromMs, own: textOf(own), leader }
}

const textOf = (value: object): string => JSON.stringify(value)
