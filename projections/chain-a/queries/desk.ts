import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainADesk as desk } from '../../../schemas/chain-a/desk.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createDeskViews, type DeskViews } from '../../desk/queries/desk.ts'
import { deskTablesOf } from '../../desk/tables.ts'

/** The record of chain A’s paper desk. `database`: a connection with the reader role. */
export const createChainADeskViews = (database: Database): DeskViews =>
  createDeskViews({ database, tables: deskTablesOf(chainAStage.name), desk })
