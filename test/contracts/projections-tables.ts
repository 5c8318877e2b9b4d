/**
 * Tables of one ClickHouse. They are projected from a derived log of the test, and read through the queries.
 * They are empty before each test.
 */
import { expect } from 'chai'
import { pino } from 'pino'
import type { DatabaseOptions } from '../../infra/clickhouse/connect.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import type { ChainAQueries } from '../../projections/chain-a/queries/chain-a-queries.ts'
import { type Cut, type Cuts, createCuts, type StageCut } from '../../projections/cuts.ts'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import type { BatchLimits } from '../../projections/sink/batches.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { watermarkTable } from '../../projections/watermarks.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import type { DerivedLog } from '../projections/derived-log.ts'
import { closeAll } from '../support/close-all.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
export const allBursts = { tier: 'all', lp: 'all' } as const
export const logger = pino({ level: 'silent' })

export type Where = Omit<DatabaseOptions, 'role' | 'name'>

export type Tables = Readonly<{
  options: Omit<DatabaseOptions, 'role'>
  writer: Database
  reader: Database
  queries: ChainAQueries
  cuts: Cuts
  empty(): Promise<void>
  /** Writes everything in the log that is not yet in the tables. By default, `database` is the writer. */
  project(derived: Pick<DerivedLog, 'log' | 'registry'>, limits?: BatchLimits, database?: Database): Promise<void>
  newestCut(): Promise<StageCut>
  /** Returns the data state (cut) of a time at which some data was known. */
  cutAt(atMs: number): Promise<StageCut>
}>

const name = 'projections'
const stages = [chainAStage]

export const tableNames = tablesOf(projections).map((table) => table.name)
const emptied: ReadonlySet<string> = new Set([...tableNames, watermarkTable])

/** Opens the tables before the tests of the enclosing `describe`. */
export function tablesOfTests(open: () => Promise<Where>): Tables {
  let opened: Pick<Tables, 'options' | 'writer' | 'reader' | 'queries' | 'cuts'>
  const databases: Database[] = []

  before(async () => {
    const options = { ...(await open()), name }
    const reader = await createDatabase({ ...options, role: 'reader' })
    databases.push(reader)
    const writer = await createDatabase({ ...options, role: 'writer' })
    databases.push(writer)
    opened = {
      options,
      writer,
      reader,
      queries: createChainAQueries({ database: reader }),
      cuts: createCuts({ database: reader }),
    }
  })
  after(() => closeAll(...databases.map(({ close }) => close)))

  const cutOf = async (found: Promise<Cut | null>): Promise<StageCut> => {
    const cut = (await found)?.stages[chainAStage.name]
    return cut ?? expect.fail('there is no cut')
  }
  const tables: Tables = {
    get options() {
      return opened.options
    },
    get writer() {
      return opened.writer
    },
    get reader() {
      return opened.reader
    },
    get queries() {
      return opened.queries
    },
    get cuts() {
      return opened.cuts
    },
    async empty() {
      // Most tests fill few of the tables.
      const filled = await opened.writer.query<{ table: string }>(
        'SELECT DISTINCT table FROM system.parts WHERE database = currentDatabase()',
      )
      for (const { table } of filled) if (emptied.has(table)) await opened.writer.command(`TRUNCATE TABLE ${table}`)
    },
    project: ({ log, registry }, limits, database = opened.writer) =>
      projectToEnd({
        projections,
        log,
        registry,
        database,
        logger,
        signal: new AbortController().signal,
        ...(limits ? { limits } : {}),
      }),
    newestCut: () => cutOf(opened.cuts.newest(stages)),
    cutAt: (atMs) => cutOf(opened.cuts.at(atMs, stages)),
  }
  afterEach(() => tables.empty())
  return tables
}
