/**
 * Tracks the pools and tokens that a request can name, with the columns from which their ids come. The
 * columns are the same as those that the queries of the routes read.
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
