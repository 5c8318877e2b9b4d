/**
 * Decides whether a pool or token that a request names may have data. For this, the ids of all known pools
 * and tokens are kept, from the same columns that the queries of the API routes read.
 */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { curveLifeMs } from '../../../schemas/chain-a/curve-life.ts'
import { dayMs } from '../../../schemas/units.ts'
import { createTracked, identifiersIn } from '../../tracked.ts'
import { launchCurves } from '../tables/launch-curves.ts'
import { poolProfiles } from '../tables/pool-profiles.ts'
import { pools } from '../tables/pools.ts'
import type { ChainAQueries } from './chain-a-queries.ts'

const ofTheLastDay = { fromColumn: 'created_at_ms', ms: dayMs } as const

export const createChainATracked = (database: Database): ChainAQueries['tracked'] => ({
  pools: createTracked(database, [identifiersIn(pools, 'pool', ofTheLastDay)]),
  tokens: createTracked(database, [
    identifiersIn(pools, 'token', ofTheLastDay),
    identifiersIn(poolProfiles, 'token', ofTheLastDay),
    identifiersIn(launchCurves, 'token', { fromColumn: 'read_at_ms', ms: curveLifeMs }),
  ]),
})
