import { createEmbeddedLog } from '../../infra/log/embedded-log.ts'
import { createEmbeddedRegistry } from '../../infra/log/schema-table.ts'
import type { OpenLog } from '../../infra/open-log.ts'
import { prepareSchemas } from '../../infra/prepare-schemas.ts'
import { topics } from '../../schemas/topics.ts'

export type SoakLog = Pick<OpenLog, 'log' | 'registry' | 'close'>

const hourMs = 3_600_000
/** So short that it is reached several times within the soak; the real one is 7 and 35 days. */
export const soakRetentionMs = 6 * hourMs

/** The embedded log with a retention that a soak of two days can show. */
export async function openSoakLog(dataDir: string, nowMs: () => number): Promise<SoakLog> {
  const topicTable = {
    ...topics,
    'chain-a-facts': { ...topics['chain-a-facts'], retentionMs: soakRetentionMs },
    'chain-a-derived': { ...topics['chain-a-derived'], retentionMs: soakRetentionMs },
  }
  const log = await createEmbeddedLog({ dataDir, nowMs, topicTable })
  const registry = await createEmbeddedRegistry({ dataDir })
  await prepareSchemas(registry)
  return {
    log,
    registry,
    async close() {
      await log.close()
      await registry.close()
    },
  }
}
