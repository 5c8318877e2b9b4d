/** Opens the embedded log read-only, with its schema table. */
import type { TopicTable } from '../../../schemas/topics.ts'
import { openEmbeddedRegistryReader } from '../../codec/registry/schema-table.ts'
import type { OpenReader } from '../open-log.ts'
import { createEmbeddedReader } from './embedded-reader.ts'

export async function openEmbeddedReader(dataDir: string, topicTable: TopicTable): Promise<OpenReader> {
  const log = await createEmbeddedReader(dataDir, { topicTable })
  try {
    const registry = await openEmbeddedRegistryReader(dataDir)
    return {
      log,
      registry,
      holdFrom: log.holdFrom,
      async close() {
        await log.close()
        await registry.close()
      },
    }
  } catch (error) {
    await log.close()
    throw error
  }
}
