/** A log in memory, its tables, and the shop over them: of both chains, or of chain B alone. */
import { createSources } from '../../../api/sources.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { readConfig } from '../../../infra/config.ts'
import { openShop, type Shop } from '../answers/shop.ts'
import { callerIdSecret, createWorld, type World } from '../calls/derive/project.ts'
import type { SourceName } from './run-start.ts'

export const openWorld = (): Promise<World> => createWorld(0)

/** Of a service that has these sources and no other. */
export function openShopOf(database: Database, sources: readonly SourceName[]): Promise<Shop> {
  const config = readConfig(
    sources.includes('chain-a') ? {} : { HELIUS_API_KEY: 'key-of-the-proof', CHAT_CHANNELS: '@a_channel' },
  )
  const secrets = { callerIdSecret, ruleIdSecret: 'another secret of the proof' }
  return openShop(database, createSources({ config, database, ...secrets }))
}
