/** The tables of chain A whose corrections are listed. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { correctedCalls } from '../../calls/queries/corrected.ts'
import { chainACallScores } from '../../calls/tables/call-scores.ts'
import { chainACalls } from '../../calls/tables/calls.ts'
import { chainAPrecallBuyers, chainAPrecalls } from '../../calls/tables/precalls.ts'
import { chainAScannerGrades } from '../../calls/tables/scanner-grades.ts'
import { type CorrectedTable, createCorrections } from '../../corrections.ts'
import { correctedDesk } from '../../desk/queries/corrected.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import { chainADesk } from '../tables/chain-a-desk.ts'
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
  { recordType: 'Precall', table: chainAPrecalls },
  { recordType: 'PrecallBuyers', table: chainAPrecallBuyers },
  ...correctedCalls({ calls: chainACalls, scores: chainACallScores, grades: chainAScannerGrades }),
  ...correctedDesk(chainADesk),
]

export const createChainACorrections = (database: Database) =>
  createCorrections({ database, topic: chainAStage.derivedTopic.name, tables })
