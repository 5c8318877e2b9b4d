/** A log in memory, its tables, and a shop over them, for both chains or only chain B. */
import { createSources } from '../../../api/sources.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { readConfig } from '../../../infra/config.ts'
import { openShop, type Shop } from '../answers/shop.ts'
import { callerIdSecret, createWorld, type World } from '../calls/derive/project.ts'
import type { SourceName } from './run-start.ts'

export const openWorld = (): Promise<World> => createWorld(0)

/** The shop of a service that has only these sources. */
export function openShopOf(database: Database, sources: readonly SourceName[]): Promise<Shop> {
  const config = readConfig(
    sources.includes('chain-a') ? {} : { HELIUS_API_KEY: 'key-of-the-proof', CHAT_CHANNELS: '@a_channel' },
  )
  const secrets = { callerIdSecret, ruleIdSecret: 'another secret of the proof' }
  return openShop(database, createSources({ config, database, ...secrets }))
}
