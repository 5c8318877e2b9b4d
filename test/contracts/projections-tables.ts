/** Tables of one ClickHouse, projected from a derived log of the test and asked through the views; empty before each test. */
import { expect } from 'chai'
import { pino } from 'pino'
import type { DatabaseOptions } from '../../infra/clickhouse/connect.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { createChainAViews } from '../../projections/chain-a/queries/chain-a.ts'
import type { ChainAViews, Cut } from '../../projections/chain-a/queries/chain-a-views.ts'
import type { BatchLimits } from '../../projections/sink/batches.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { versionTableNames } from '../../projections/tables.ts'
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
  views: ChainAViews
  empty(): Promise<void>
  /** Writes what stands in the log and is not in the tables; `database`: by another writer. */
  project(derived: DerivedLog, limits?: BatchLimits, database?: Database): Promise<void>
  newestCut(): Promise<Cut>
  /** The cut of an instant at which something was known. */
  cutAt(atMs: number): Promise<Cut>
}>

const name = 'projections'

/** Opened before the tests of the describe it is called in. */
export function tablesOfTests(open: () => Promise<Where>): Tables {
  let opened: Pick<Tables, 'options' | 'writer' | 'reader' | 'views'>
  const databases: Database[] = []

  before(async () => {
    const options = { ...(await open()), name }
    const reader = await createDatabase({ ...options, role: 'reader' })
    databases.push(reader)
    const writer = await createDatabase({ ...options, role: 'writer' })
    databases.push(writer)
    opened = { options, writer, reader, views: createChainAViews({ database: reader, gridMs: 1000 }) }
  })
  after(() => closeAll(...databases.map(({ close }) => close)))

  const cutOf = async (found: Promise<Cut | null>): Promise<Cut> => {
    const cut = await found
    expect(cut, 'a cut').not.equal(null)
    return cut as Cut
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
    get views() {
      return opened.views
    },
    async empty() {
      for (const table of [...versionTableNames, 'watermarks'])
        await opened.writer.command(`TRUNCATE TABLE IF EXISTS ${table}`)
    },
    project: ({ log, registry }, limits, database = opened.writer) =>
      projectToEnd({
        log,
        registry,
        database,
        logger,
        signal: new AbortController().signal,
        ...(limits ? { limits } : {}),
      }),
    newestCut: () => cutOf(opened.views.newestCut()),
    cutAt: (atMs) => cutOf(opened.views.cutAt(atMs)),
  }
  afterEach(() => tables.empty())
  return tables
}
