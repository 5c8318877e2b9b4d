/** A log in memory, its tables, and all routes over them. */
import { createSources } from '../../../../api/sources.ts'
import type { Database } from '../../../../infra/clickhouse/database.ts'
import { prepareSchemas } from '../../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../../../infra/codec/schema-codec.ts'
import { readConfig } from '../../../../infra/config.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { projections } from '../../../../projections/projections.ts'
import { projectToEnd } from '../../../../projections/sink/run.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../../../schemas/chats/stage.ts'
import type { Stage } from '../../../../schemas/stage.ts'
import { topics } from '../../../../schemas/topics.ts'
import { silentLogger } from '../../../replay/stage-log.ts'
import { openShop, type Shop } from '../../answers/shop.ts'
import type { Clock } from '../live.ts'

/** The stages whose topics the proof reads. */
export const stages = [chainAStage, chainBStage, chatsStage] as unknown as readonly Stage[]

export type Logged = Readonly<{ log: Log; registry: SchemaRegistry }>
export type World = Logged & Readonly<{ clock: Clock }>

export async function createWorld(fromMs: number): Promise<World> {
  const clock = { atMs: fromMs }
  const registry = createMemoryRegistry()
  await prepareSchemas(registry, topics)
  return { clock, registry, log: createMemoryLog({ nowMs: () => clock.atMs }) }
}

/** Writes the new log records to the database tables as rows. */
export async function projectOn({ log, registry }: Logged, database: Database): Promise<void> {
  const { signal } = new AbortController()
  await projectToEnd({ projections, log, registry, database, logger: silentLogger, signal })
}

export const callerIdSecret = 'a secret of the proof'

export const openWholeShop = (database: Database): Promise<Shop> =>
  openShop(
    database,
    createSources({
      ...{ config: readConfig({}), database, callerIdSecret, ruleIdSecret: 'another secret of the proof' },
    }),
  )
