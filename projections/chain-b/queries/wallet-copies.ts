/**
 * Selects the newest followed buys of wallets, the results of these buys, and statistics of all followed buys in the
 * window. Two queries select all of it, also for many wallets.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { leaderRules, listedBuysMax } from '../../../schemas/chain-b/copy-rules.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { fromFewAtCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { joinQuestions, oneOf } from '../../join-questions.ts'
import { byKey, columnsAt, type RowAtCut, readRow, selectedOf } from '../../rows-at-cut.ts'
import type { Selected } from '../../select.ts'
import { chainBCopies } from '../tables/chain-b-copies.ts'
import { chainBCopyResults } from '../tables/chain-b-copy-results.ts'
import { type CopyMetrics, metricsSql } from './copy-metrics.ts'
import { finishedSince } from './leader-list.ts'
import { since } from './since.ts'

type Buy = RowAtCut<typeof chainBCopies>
type Result = RowAtCut<typeof chainBCopyResults>

export type WalletCopies = Readonly<{
  /** The newest followed buys in the window, newest first: at most `listedBuysMax`. */
  buys: readonly Buy[]
  /** The number of all followed buys in the window. */
  count: number
  /** The time of the first followed buy in the window, for each mint of `buys`. */
  firstAtMs: ReadonlyMap<string, EpochMs>
  /** Returns the result of one of `buys`, if it is known. */
  resultOf(buy: Buy): Result | undefined
  metrics: CopyMetrics
}>

const nothingKnown: CopyMetrics = {
  ...{ n: 0, evRaw: null, winShare: null, shadowed: 0, shadowHit: null },
  ...{ sold: 0, medSoldSec: null, medSellGain: null, soldWithin60s: 0 },
}

const noCopies: WalletCopies = {
  ...{ buys: [], count: 0, firstAtMs: new Map() },
  resultOf: () => undefined,
  metrics: nothingKnown,
}

/** The number of wallets in one query. ClickHouse sorts all their buys in memory, and a busy wallet has many thousands. */
const walletsMax = 8

/** Returns the followed buys of a wallet at the cut of a list of leaders. `wallet` may come from outside. */
export const selectWalletCopies = joinQuestions<StageCut, WalletCopies>({
  joinedMax: walletsMax,
  kindOf: ({ atMs, blockAtMs }) => `${atMs} ${blockAtMs}`,
  async askAll(database, then, wallets) {
    const bought = await selectBuys(database, then, wallets)
    const results = await selectResults(database, then, bought)
    return (wallet) => {
      const buys = bought.get(wallet)
      return buys === undefined ? noCopies : { ...buys, ...(results.get(wallet) ?? noResults) }
    }
  },
})

type Queries = Pick<Database, 'query'>
type Bought = Pick<WalletCopies, 'buys' | 'count' | 'firstAtMs'>

/** Wallets without a followed buy are left out. */
async function selectBuys(
  database: Queries,
  then: StageCut,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, Bought>> {
  const { sql, parameters } = oneOf(wallets)
  const rows = await database.query<Selected & Readonly<{ wallet: string; buys: string; firstAtMs: string }>>(
    `SELECT ${columnsAt(chainBCopies).join(', ')}, count() OVER (PARTITION BY wallet) AS buys,
       min(at_ms) OVER (PARTITION BY wallet, mint) AS firstAtMs
     FROM ${fromFewAtCut(chainBCopies, then.atMs, { wallet: { sql }, at_ms: since(then, leaderRules.windowMs) })}
     ORDER BY at_ms DESC, slot DESC, mint, tx_hash, log_index LIMIT ${listedBuysMax} BY wallet`,
    parameters,
  )
  type Found = Readonly<{ buys: Buy[]; count: number; firstAtMs: Map<string, EpochMs> }>
  const found = new Map<string, Found>()
  for (const row of rows) {
    const of: Found = found.get(row.wallet) ?? { buys: [], count: Number(row.buys), firstAtMs: new Map() }
    const buy = readRow(chainBCopies, row)
    of.buys.push(buy)
    of.firstAtMs.set(buy.mint, Number(row.firstAtMs))
    found.set(row.wallet, of)
  }
  return found
}

type Results = Pick<WalletCopies, 'resultOf' | 'metrics'>

const noResults: Results = { resultOf: noCopies.resultOf, metrics: nothingKnown }

/** Wallets without a result are left out. */
async function selectResults(
  database: Queries,
  then: StageCut,
  bought: ReadonlyMap<string, Bought>,
): Promise<ReadonlyMap<string, Results>> {
  if (bought.size === 0) return new Map()
  const { sql, parameters } = oneOf([...bought.keys()])
  // A busy wallet has many thousands of results. So those of buys that are older than the listed ones stay in the engine.
  const oldest = [...bought.values()].map(({ buys }) => buys.at(-1)?.atMs ?? 0)
  const names = Object.keys(parameters).map((name) => `{${name}:String}`)
  const isListed = `at_ms >= transform(wallet, [${names.join(', ')}], [${oldest.join(', ')}], 0)`
  const columns = columnsAt(chainBCopyResults)
  const source = fromFewAtCut(chainBCopyResults, then.atMs, { wallet: { sql }, at_ms: finishedSince(then) })
  type Row = CopyMetrics & Readonly<{ wallet: string; results: readonly (readonly unknown[])[] }>
  const rows = await database.query<Row>(
    metricsSql(source, { results: `groupArrayIf((${columns.join(', ')}), ${isListed})` }),
    parameters,
  )
  return new Map(
    rows.map(({ wallet, results, ...metrics }) => {
      const found = results.map((values) => readRow(chainBCopyResults, selectedOf(columns, values)))
      return [wallet, { metrics, resultOf: byKey(chainBCopyResults, found) }]
    }),
  )
}
