import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createEmbeddedRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import type { OpenLog } from '../../../infra/log/open-log.ts'
import { topics } from '../../../schemas/topics.ts'

export type SoakLog = Pick<OpenLog, 'log' | 'registry' | 'close'>

const hourMs = 3_600_000
/**
 * The retention is so short that a soak test reaches it several times. The service keeps facts for 7 days and
 * derived records for 35 days.
 */
export const soakRetentionMs = 6 * hourMs

/** The embedded log with the short retention. */
export async function openSoakLog(dataDir: string, nowMs: () => number): Promise<SoakLog> {
  const topicTable = {
    ...topics,
    'chain-a-facts': { ...topics['chain-a-facts'], retentionMs: soakRetentionMs },
    'chain-a-derived': { ...topics['chain-a-derived'], retentionMs: soakRetentionMs },
  }
  const log = await createEmbeddedLog({ dataDir, nowMs, topicTable })
  const registry = await createEmbeddedRegistry({ dataDir })
  await prepareSchemas(registry, topics)
  return {
    log,
    registry,
    async close() {
      await log.close()
      await registry.close()
    },
  }
}
