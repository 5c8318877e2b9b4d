/**
 * The list of leaders: the wallets whose buys are most worth copying. For each whole hour, one list is
 * written, as soon as all data up to that hour is known.
 */
import { leaderRules, shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import { editionAgeMsMax } from '../../../schemas/hourly.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { atCut, editionAt, editionsOf } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { hourlyProduct, type Reading } from '../../editions.ts'
import { keepNewest } from '../../keep-newest.ts'
import { rowOf, type Selected, selectOf, stampOf } from '../../select.ts'
import { chainBCopies } from '../tables/chain-b-copies.ts'
import { chainBCopyResults } from '../tables/chain-b-copy-results.ts'
import { chainBLeaderLists, type LeaderList, type LeaderRow } from '../tables/chain-b-leader-lists.ts'
import type { LeaderListRow } from './chain-b-queries.ts'
import { metricsSql, ofAllWallets, shrunkSql } from './copy-metrics.ts'
import { selectGapBuys } from './leader-gaps.ts'
import { since } from './since.ts'

type SelectedLeader = Omit<LeaderRow, 'lastBuyAtMs'> & Readonly<{ prior: number; replays: string }>

/**
 * Returns the range of times of buys that are in the window and at least one hour old, relative to the cut's
 * newest block.
 */
export function finishedSince(cut: Pick<StageCut, 'blockAtMs'>): Readonly<{ from: number; to: number }> {
  const { from, to } = since(cut, leaderRules.windowMs)
  return { from, to: to - shadowRules.windowMs }
}

/**
 * Computes the list of leaders at a cut. The wallet with the highest `evShrunk` is first. Wallets with equal
 * `evShrunk` are ordered by number of simulated copies, most first, then by wallet.
 */
async function buildLeaderList(database: Reading, cut: StageCut): Promise<LeaderList> {
  const source = atCut(chainBCopyResults, cut.atMs, { at_ms: finishedSince(cut) })
  const isListed = `n >= ${leaderRules.replaysMin}`
  // The query also selects wallets with too few simulated copies. So even if no wallet is listed, there is a
  // first row with the mean of all wallets, which is needed.
  const rows = await database.query<SelectedLeader>(
    `SELECT *, ${shrunkSql('evRaw', 'n', 'prior')} AS evShrunk FROM (${metricsSql(source, ofAllWallets)})
     ORDER BY ${isListed} DESC, evShrunk DESC, n DESC, wallet LIMIT ${leaderRules.listMax}`,
  )
  const replays = Number(rows[0]?.replays ?? 0)
  const listed = rows.filter(({ n }) => n >= leaderRules.replaysMin)
  const lastBuys = await selectLastBuys(
    database,
    cut,
    listed.map(({ wallet }) => wallet),
  )
  return {
    blockAtMs: cut.blockAtMs,
    prior: replays === 0 ? 0 : Number(rows[0]?.prior),
    replays,
    leaders: listed.map(({ prior: _, replays: __, ...row }) => ({
      lastBuyAtMs: lastBuys.get(row.wallet) ?? 0,
      ...row,
    })),
  }
}

/** Returns the time of the newest followed buy of each wallet. */
async function selectLastBuys(
  database: Reading,
  cut: StageCut,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (wallets.length === 0) return new Map()
  const keys = { wallet: { sql: 'IN {wallets:Array(String)}' }, at_ms: since(cut, leaderRules.windowMs) }
  const rows = await database.query<{ wallet: string; lastBuyAtMs: string }>(
    `SELECT wallet, max(at_ms) AS lastBuyAtMs FROM ${atCut(chainBCopies, cut.atMs, keys)}
     GROUP BY wallet`,
    { wallets },
  )
  return new Map(rows.map(({ wallet, lastBuyAtMs }) => [wallet, Number(lastBuyAtMs)]))
}

export const leaderLists = hourlyProduct(chainBLeaderLists, buildLeaderList)

type BareList = LeaderList & Pick<LeaderListRow, 'rebuiltAtMs' | 'knownAtMs'>

const listRowOf = (selected: Selected): BareList => {
  const { leaders, ...list } = rowOf(chainBLeaderLists, 'l', selected)
  return {
    ...list,
    ...{ rebuiltAtMs: list.blockAtMs, knownAtMs: stampOf('l', selected).knownAtMs },
    leaders: leaders.map((leader) => ({ ...leader, lastBuyAtMs: Number(leader.lastBuyAtMs) })),
  }
}

export type LeaderListInForce = (cut: StageCut) => Promise<LeaderListRow | null>

/**
 * Returns a function that finds the list that is valid at a cut, or null if there is no list yet. Free API
 * routes need the list too, so the list is selected only one time per cut. The buys with missing trades are
 * counted one time per list.
 */
export function createLeaderListInForce(database: Reading): LeaderListInForce {
  const gapBuys = keepNewest<ReadonlyMap<string, number>>(2)
  const selectWithGaps = async (atMs: EpochMs): Promise<LeaderListRow | null> => {
    const list = await selectLeaderList(database, atMs)
    if (list === null) return null
    const counts = await gapBuys(String(list.knownAtMs), () => selectGapBuysOf(database, list))
    return { ...list, leaders: list.leaders.map((row) => ({ gapBuys: counts.get(row.wallet) ?? 0, ...row })) }
  }
  let last: Readonly<{ atMs: EpochMs; list: Promise<LeaderListRow | null> }> | null = null
  return ({ atMs }) => {
    if (last?.atMs === atMs) return last.list
    const entry = { atMs, list: selectWithGaps(atMs) }
    last = entry
    // Failures are not cached.
    entry.list.catch(() => {
      if (last === entry) last = null
    })
    return entry.list
  }
}

async function selectLeaderList(database: Reading, atMs: EpochMs): Promise<BareList | null> {
  const [row] = await database.query<Selected>(
    `SELECT ${selectOf(chainBLeaderLists, 'l')} FROM ${editionAt(chainBLeaderLists, atMs)} AS l`,
  )
  return row ? listRowOf(row) : null
}

const selectGapBuysOf = (database: Reading, { knownAtMs, rebuiltAtMs, leaders }: BareList) =>
  selectGapBuys(database, {
    atMs: knownAtMs,
    range: finishedSince({ blockAtMs: rebuiltAtMs }),
    wallets: leaders.map(({ wallet }) => wallet),
  })

type LeadersThen = Readonly<{
  /** Returns the wallets on the list that was valid at the given time, or null if no list was valid then. */
  inForceAt(atMs: EpochMs): ReadonlySet<string> | null
  /** The distinct wallets of all selected lists. */
  wallets: readonly string[]
}>

/**
 * Selects the lists that were valid during the range. A list is valid until the next list is known, or until
 * the list reaches the maximum age (`editionAgeMsMax`).
 */
export async function selectLeadersThen(
  database: Reading,
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<LeadersThen> {
  const rows = await database.query<{ rebuiltAtMs: string; knownAtMs: string; wallets: readonly string[] }>(
    `SELECT block_at_ms AS rebuiltAtMs, known_at_ms AS knownAtMs, leaders.wallet AS wallets
     FROM ${editionsOf(chainBLeaderLists, { from: from - editionAgeMsMax, to })} ORDER BY known_at_ms DESC`,
  )
  const lists = rows.map(({ rebuiltAtMs, knownAtMs, wallets }) => ({
    ...{ rebuiltAtMs: Number(rebuiltAtMs), knownAtMs: Number(knownAtMs), wallets: new Set(wallets) },
  }))
  return {
    inForceAt(atMs) {
      const list = lists.find(({ knownAtMs }) => knownAtMs <= atMs)
      return list && list.rebuiltAtMs > atMs - editionAgeMsMax ? list.wallets : null
    },
    wallets: [...new Set(rows.flatMap(({ wallets }) => wallets))],
  }
}
