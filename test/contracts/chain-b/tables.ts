/** The tables of chain B in an embedded ClickHouse, projected from a derived log. They are empty before each test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { chainBProjection } from '../../../projections/chain-b/projection.ts'
import { createChainBQueries } from '../../../projections/chain-b/queries/chain-b.ts'
import type { ChainBQueries } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { createCuts, type StageCut } from '../../../projections/cuts.ts'
import { ownTablesOf, tablesOf } from '../../../projections/projection.ts'
import type { BatchLimits } from '../../../projections/sink/batches.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { rebuildProjections } from '../../../projections/sink/rebuild.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { watermarkTable } from '../../../projections/watermarks.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { ChainBLog } from '../../projections/chain-b/derived-log.ts'
import { closeAll } from '../../support/close-all.ts'
import { logger } from '../projections-tables.ts'

/** The derived log of a stage or test. */
type Derived = Pick<ChainBLog, 'log' | 'registry'>

export type ChainBTables = Readonly<{
  writer: Database
  queries: ChainBQueries
  empty(): Promise<void>
  /** Writes the new records of the log to the tables. If `database` is given, it is the writer. */
  project(derived: Derived, limits?: BatchLimits, database?: Database): Promise<void>
  rebuild(derived: Derived): Promise<void>
  /** The cut of an instant with data. */
  cutAt(atMs: number): Promise<StageCut>
  newestCut(): Promise<StageCut>
  /** Returns null if there is no time for which the tables are complete. */
  newestCutOrNull(): Promise<StageCut | null>
}>

const projections = [chainBProjection]
export const chainBTableNames = ownTablesOf(chainBProjection).map(({ name }) => name)

/** Opens the tables one time for the enclosing `describe`. */
export function chainBTablesOfTests(): ChainBTables {
  let dataDir: string
  let writer: Database
  let reader: Database

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    writer = await createDatabase({ dataDir, role: 'writer' })
    reader = await createDatabase({ dataDir, role: 'reader' })
    await migrate(writer, await readMigrations(projections))
  })
  after(() => closeAll(reader?.close, writer?.close, () => rm(dataDir, { recursive: true, force: true })))

  const options = ({ log, registry }: Derived) => ({
    ...{ projections, log, registry, logger },
    signal: new AbortController().signal,
  })
  const cuts = () => createCuts({ database: reader })
  const tables: ChainBTables = {
    get writer() {
      return writer
    },
    get queries() {
      return createChainBQueries({ database: reader })
    },
    async empty() {
      for (const table of [...tablesOf(projections).map(({ name }) => name), watermarkTable])
        await writer.command(`TRUNCATE TABLE IF EXISTS ${table}`)
    },
    project: (derived, limits, database = writer) =>
      projectToEnd({ ...options(derived), database, ...(limits ? { limits } : {}) }),
    rebuild: (derived) => rebuildProjections({ ...options(derived), database: { dataDir } }),
    cutAt: async (atMs) =>
      (await cuts().at(atMs, [chainBStage]))?.stages[chainBStage.name] ?? expect.fail('there is no cut'),
    newestCut: async () => (await tables.newestCutOrNull()) ?? expect.fail('there is no cut'),
    newestCutOrNull: async () => (await cuts().newest([chainBStage]))?.stages[chainBStage.name] ?? null,
  }
  afterEach(() => tables.empty())
  return tables
}
