/** Opens the embedded log with its schema table. */
import type { TopicTable } from '../../../schemas/topics.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { prepareSchemas } from '../../codec/prepare-schemas.ts'
import { createEmbeddedRegistry, openEmbeddedRegistryReader } from '../../codec/registry/schema-table.ts'
import type { OpenLog, OpenReader } from '../open-log.ts'
import { createEmbeddedLog } from './embedded-log.ts'
import { createEmbeddedReader } from './embedded-reader.ts'
import { readSizes } from './sizes.ts'
import { noticeOf } from './unchecked.ts'

type Table = Readonly<{ nowMs: () => EpochMs; topicTable: TopicTable }>

export async function openEmbeddedLog(dataDir: string, table: Table): Promise<OpenLog> {
  const log = await createEmbeddedLog({ dataDir, ...table })
  const registry = await createEmbeddedRegistry({ dataDir })
  await prepareSchemas(registry, table.topicTable)
  return {
    log,
    registry,
    sharePartitions: ({ topic, share, signal, work }) =>
      work(
        Array.from({ length: topic.partitionCount }, (_, partition) => partition).filter(
          (partition) => partition % share.count === share.index,
        ),
        signal,
      ),
    // Failed work on a partition is not started again. A restart helps only if another worker has taken the
    // partition or if the log was unreachable. Neither can happen with the embedded log.
    restartPauseMs: () => null,
    notices: [noticeOf(log.uncheckedCount())].filter((notice) => notice !== null),
    sizes: () => readSizes(dataDir),
    async close() {
      await log.close()
      await registry.close()
    },
  }
}

/** Opens the embedded log read-only, with its schema table. */
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
