/** The log that the configuration names, its schemas registered. */
import { createEmbeddedLog } from './log/embedded-log.ts'
import type { Log } from './log/log.ts'
import { createEmbeddedRegistry } from './log/schema-table.ts'
import { prepareSchemas } from './prepare-schemas.ts'
import type { SchemaRegistry } from './schema-codec.ts'

export type OpenLog = Readonly<{ log: Log; registry: SchemaRegistry; close(): Promise<void> }>

export async function openLog({
  dataDir,
  nowMs,
}: Readonly<{ dataDir: string; nowMs: () => number }>): Promise<OpenLog> {
  const log = await createEmbeddedLog({ dataDir, nowMs })
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
