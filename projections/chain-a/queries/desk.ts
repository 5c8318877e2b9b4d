import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainADesk as desk } from '../../../schemas/chain-a/desk.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createDeskQueries, type DeskQueries } from '../../desk/queries/desk.ts'
import { deskTablesOf } from '../../desk/tables.ts'

/**
 * Creates the queries for the paper desk (the simulated trading) of chain A. `database` has the reader role.
 */
export const createChainADeskQueries = (database: Database): DeskQueries =>
  createDeskQueries({ database, tables: deskTablesOf(chainAStage.name), desk })
