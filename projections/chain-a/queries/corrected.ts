/** The tables of chain A for which the API publishes the rows that a reorg changed. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { correctedCalls, precallTablesOf } from '../../calls/tables.ts'
import { type CorrectedTable, correctedOf, createCorrections } from '../../corrections.ts'
import { deskTablesOf } from '../../desk/tables.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import { launchCurves } from '../tables/launch-curves.ts'
import { poolMinutes } from '../tables/pool-minutes.ts'
import { poolProfiles } from '../tables/pool-profiles.ts'
import { pools } from '../tables/pools.ts'

const tables: readonly CorrectedTable[] = [
  { recordType: 'PoolOpened', table: pools },
  { recordType: 'PoolMinute', table: poolMinutes },
  { recordType: 'PoolProfile', table: poolProfiles },
  { recordType: 'LaunchCurve', table: launchCurves },
  { recordType: 'Burst', table: bursts },
  { recordType: 'BurstBuyers', table: burstBuyers },
  { recordType: 'BurstLp', table: burstLp, revisedBy: 'owner_check' },
  { recordType: 'BurstOutcome', table: burstOutcomes },
  ...correctedOf(precallTablesOf(chainAStage.name)),
  ...correctedCalls(chainAStage.name),
  ...correctedOf(deskTablesOf(chainAStage.name)),
]

export const createChainACorrections = (database: Database) =>
  createCorrections({ database, topic: chainAStage.derivedTopic.name, tables })
