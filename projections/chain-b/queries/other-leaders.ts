/**
 * Counts the leaders (wallets worth copying) that bought a mint before a followed buy of another wallet. The buys of all
 * leaders are selected one time per list of leaders, because ClickHouse reads nearly as much to find those of one mint.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { leaderRules } from '../../../schemas/chain-b/copy-rules.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { keepNewest } from '../../keep-newest.ts'
import { chainBCopies } from '../tables/chain-b-copies.ts'
import { selectLeadersThen } from './leader-list.ts'
import { since } from './since.ts'

type FollowedBuy = Readonly<{ mint: string; wallet: string; atMs: EpochMs }>

/**
 * Returns the number of other leaders that bought the mint in the window, at or before the buy. A leader is a wallet on
 * the list that was valid at the time of the buy. Returns null if no list was valid then.
 */
type CountOtherLeaders = (buy: FollowedBuy) => number | null

/** `then` is the cut of a list of leaders: the time at which it became known, and the block time that it covers. */
export type OtherLeaders = (then: StageCut) => Promise<CountOtherLeaders>

/** The list in force, and one more for requests about an earlier time. */
const listsMax = 2

export function createOtherLeaders(database: Database): OtherLeaders {
  const kept = keepNewest<CountOtherLeaders>(listsMax)
  // The buys for a list can take tens of megabytes. So those for several lists are selected one after the other.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (then: StageCut) => {
    const selected = last.then(() => selectOtherLeaders(database, then))
    last = selected.catch(() => undefined)
    return selected
  }
  return (then) => kept(`${then.atMs} ${then.blockAtMs}`, () => inTurn(then))
}

async function selectOtherLeaders(database: Database, then: StageCut): Promise<CountOtherLeaders> {
  const { inForceAt, wallets } = await selectLeadersThen(database, since(then, leaderRules.windowMs))
  const firstBuys = await selectFirstBuys(database, then, wallets)
  return ({ mint, wallet, atMs }) => {
    const leaders = inForceAt(atMs)
    if (leaders === null) return null
    const { buyers, atMs: times } = firstBuys.get(mint) ?? noBuys
    const isOther = (name: string) => name !== wallet && leaders.has(name)
    return buyers.filter((buyer, index) => (times[index] as EpochMs) <= atMs && isOther(wallets[buyer] ?? '')).length
  }
}

/**
 * The first buys of a mint by the leaders, as two parallel lists: the index of the leader in the list of all leaders, and
 * the time of the buy.
 */
type FirstBuys = Readonly<{ buyers: readonly number[]; atMs: readonly EpochMs[] }>

const noBuys: FirstBuys = { buyers: [], atMs: [] }

/**
 * Returns, for each mint, the time of the first buy in the window by each of the wallets. There is one row per mint with
 * numbers, because a large market has hundreds of thousands of such buys.
 */
async function selectFirstBuys(
  database: Database,
  then: StageCut,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, FirstBuys>> {
  if (wallets.length === 0) return new Map()
  const keys = { wallet: { sql: 'IN {wallets:Array(String)}' }, at_ms: since(then, leaderRules.windowMs) }
  const rows = await database.query<FirstBuys & Readonly<{ mint: string }>>(
    `SELECT mint, groupArray(buyer) AS buyers, groupArray(firstAtMs) AS atMs FROM (
       SELECT mint, toUInt32(indexOf({wallets:Array(String)}, wallet) - 1) AS buyer, toFloat64(min(at_ms)) AS firstAtMs
       FROM ${atCut(chainBCopies, then.atMs, keys)} GROUP BY mint, wallet
     ) GROUP BY mint`,
    { wallets },
  )
  return new Map(rows.map(({ mint, buyers, atMs }) => [mint, { buyers, atMs }]))
}
