import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { pools } from '../tables/pools.ts'
import type { RugCheckRow } from './chain-a-queries.ts'
import { selectCurve } from './launch-curves.ts'
import { selectProfiles } from './liquidity.ts'
import { since } from './pools.ts'

/**
 * The rug check of a token. Null: no pool of the token was created in the last 24 h, and the token is on no curve. `token` is text from
 * outside.
 */
export async function selectRugCheck(database: Database, cut: StageCut, token: string): Promise<RugCheckRow | null> {
  const [tokenPools, v3PoolCount, curve] = await Promise.all([
    selectProfiles(database, cut, token),
    countV3Pools(database, cut, token),
    selectCurve(database, cut, token),
  ])
  const isTracked = tokenPools.v4PoolCount + v3PoolCount > 0 || curve !== null
  return isTracked ? { ...tokenPools, v3PoolCount, curve } : null
}

async function countV3Pools(database: Database, cut: StageCut, token: string): Promise<number> {
  const [row] = await database.query<{ count: string }>(
    `SELECT count() AS count FROM ${atCut(pools, cut.atMs, { created_at_ms: since(cut, dayMs) })}
     WHERE dex = 'v3' AND token = {token:String}`,
    { token },
  )
  return Number(row?.count ?? 0)
}
