import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainBDesk as desk } from '../../../schemas/chain-b/desk.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { createDeskQueries, type DeskQueries } from '../../desk/queries/desk.ts'
import { deskTablesOf } from '../../desk/tables.ts'

/**
 * Creates the queries for the paper desk (the simulated trading) of chain B. `database` has the reader role.
 */
export const createChainBDeskQueries = (database: Database): DeskQueries =>
  createDeskQueries({ database, tables: deskTablesOf(chainBStage.name), desk })
