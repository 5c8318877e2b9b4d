import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainADesk as desk } from '../../../schemas/chain-a/desk.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createDeskQueries, type DeskQueries } from '../../desk/queries/desk.ts'
import { deskTablesOf } from '../../desk/tables.ts'

/** The record of chain A’s paper desk. `database` has the reader role. */
export const createChainADeskQueries = (database: Database): DeskQueries =>
  createDeskQueries({ database, tables: deskTablesOf(chainAStage.name), desk })
