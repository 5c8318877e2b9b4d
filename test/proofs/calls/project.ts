/** A log in memory that is derived as time passes, its tables, and all routes over them. */
import { createChains } from '../../../api/routes.ts'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import { readConfig } from '../../../infra/config.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { projections } from '../../../projections/projections.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { topics } from '../../../schemas/topics.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { openShop, type Shop } from '../answers/shop.ts'
import type { Clock } from './live.ts'

export type World = Readonly<{ log: Log; registry: SchemaRegistry; clock: Clock }>

export async function createWorld(fromMs: number): Promise<World> {
  const clock = { atMs: fromMs }
  const registry = createMemoryRegistry()
  await prepareSchemas(registry, topics)
  return { clock, registry, log: createMemoryLog({ nowMs: () => clock.atMs }) }
}

/** All that was derived, as rows. The caller closes the database. */
export async function project({ log, registry }: World, dataDir: string): Promise<Database> {
  const database = await createDatabase({ dataDir, role: 'writer' })
  const { signal } = new AbortController()
  await projectToEnd({ projections, log, registry, database, logger: silentLogger, signal })
  return database
}

export const callerIdSecret = 'a secret of the proof'

export const openWholeShop = (database: Database): Promise<Shop> =>
  openShop(
    database,
    createChains({
      ...{ config: readConfig({}), database, callerIdSecret, ruleIdSecret: 'another secret of the proof' },
    }),
  )
