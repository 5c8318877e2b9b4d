/** The tables of chain B for which the API publishes the rows that a reorg changed. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { correctedCalls } from '../../calls/tables.ts'
import { type CorrectedTable, correctedOf, createCorrections } from '../../corrections.ts'
import { deskTablesOf } from '../../desk/tables.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBCopies } from '../tables/chain-b-copies.ts'
import { chainBCopyResults } from '../tables/chain-b-copy-results.ts'
import { chainBGraduationPosts } from '../tables/chain-b-graduation-posts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'
import { chainBOutcomes } from '../tables/chain-b-outcomes.ts'
import { chainBSafety } from '../tables/chain-b-safety.ts'

const tables: readonly CorrectedTable[] = [
  { recordType: 'Burst', table: chainBBursts },
  { recordType: 'BurstAnatomy', table: chainBAnatomies },
  { recordType: 'BurstOutcome', table: chainBOutcomes },
  { recordType: 'Graduation', table: chainBGraduations },
  { recordType: 'GraduationPost', table: chainBGraduationPosts },
  { recordType: 'CopyOpened', table: chainBCopies },
  { recordType: 'CopyClosed', table: chainBCopyResults },
  { recordType: 'Safety', table: chainBSafety },
  ...correctedCalls(chainBStage.name),
  ...correctedOf(deskTablesOf(chainBStage.name)),
]

export const createChainBCorrections = (database: Database) =>
  createCorrections({ database, topic: chainBStage.derivedTopic.name, tables })
