/**
 * The embedded log, opened read-only. The process that owns the directory may run at the same time. The reader sees an
 * append as soon as it is committed, and writes nothing to the log. For a limited time, the owner keeps the records
 * that a reader still needs.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TopicTable, topics } from '../../../schemas/topics.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { dataDirOwner } from '../../data-dir/data-dir-lock.ts'
import { examineEnvironments } from '../../data-dir/examine-environments.ts'
import { holdForReader } from '../../data-dir/reader-holds.ts'
import { OperationError } from '../../errors.ts'
import type { LogReader } from '../log.ts'
import { createReading } from './reading.ts'
import { openReadOnlyStore } from './store.ts'

export type EmbeddedReader = LogReader &
  Readonly<{
    /**
     * Lets retention delete the records that were appended before this time. Until the first call, all
     * records are kept for this reader.
     */
    holdFrom(appendedAtMs: EpochMs): void
  }>

/**
 * Opens the log for reading. Fails with `log_missing` if the directory contains no log. Examines the files
 * for damage, unless a running process owns the directory. That process has already examined the files at its
 * start.
 */
export async function createEmbeddedReader(
  dataDir: string,
  { topicTable = topics }: Readonly<{ topicTable?: TopicTable }> = {},
): Promise<EmbeddedReader> {
  const folder = join(dataDir, 'log')
  checkLogExists(dataDir)
  const hold = holdForReader(dataDir)
  try {
    if ((await dataDirOwner(dataDir)) === null) await examineEnvironments(dataDir)
    const { checkOpen, announce, ...reading } = createReading(await openReadOnlyStore(dataDir, topicTable), folder)
    return {
      ...reading,
      holdFrom: (appendedAtMs) => {
        checkOpen()
        hold.from(appendedAtMs)
      },
      close: async () => {
        hold.release()
        await reading.close()
      },
    }
  } catch (error) {
    hold.release()
    throw error
  }
}

/** Fails with `log_missing` if the directory contains no log. */
export function checkLogExists(dataDir: string): void {
  if (existsSync(join(dataDir, 'log', 'main', 'data.mdb'))) return
  const says = existsSync(dataDir) ? `${dataDir} holds no log` : `there is no folder ${dataDir}`
  throw new OperationError('log_missing', `${says}. Set DATA_DIR to the folder of a service that has run`)
}
