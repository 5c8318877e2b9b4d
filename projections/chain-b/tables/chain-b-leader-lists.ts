import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import { float64, int64, plain } from '../../columns.ts'
import { table } from '../../table.ts'

/**
 * The results of copying a wallet's buys. `shadowed` is the number of followed buys. `sold` counts the
 * followed buys after which the wallet sold within one hour.
 */
export type LeaderRow = Readonly<{
  wallet: string
  /** The number of big buys of the wallet whose simulated copies count: the newest ones, at most 60. */
  n: number
  evShrunk: number
  evRaw: number
  winShare: number
  shadowed: number
  shadowHit: number
  lastBuyAtMs: EpochMs
  sold: number
  medSoldSec: number | null
  medSellGain: number | null
  soldWithin60s: number
}>

/**
 * The list of leaders covers events up to `blockAtMs`. `prior` is the mean return of all simulated copies
 * (`replays`) in the window, or 0 if there are none.
 */
export type LeaderList = Readonly<{
  blockAtMs: EpochMs
  prior: number
  replays: number
  leaders: readonly LeaderRow[]
}>

const leaderRows = plain<readonly LeaderRow[]>(
  'Array(Tuple(wallet String, n Int32, evShrunk Float64, evRaw Float64, winShare Float64, shadowed Int32, shadowHit Float64, lastBuyAtMs Int64, sold Int32, medSoldSec Nullable(Float64), medSellGain Nullable(Float64), soldWithin60s Int32))',
)

export const chainBLeaderLists = table<LeaderList>()({
  name: 'chain_b_leader_lists',
  order: ['known_at_ms'],
  partition: { column: 'known_at_ms', everyMs: 30 * dayMs },
  columns: {
    block_at_ms: int64(({ blockAtMs }) => blockAtMs),
    prior: float64(({ prior }) => prior),
    replays: int64(({ replays }) => replays),
    leaders: leaderRows(({ leaders }) => leaders),
  },
})
