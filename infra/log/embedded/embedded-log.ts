/**
 * The log in LMDB, for one process and its threads.
 *
 * A bulk topic (`Topic.isBulk`) has one environment for each day, so that retention deletes folders. The main
 * environment contains everything else. An append takes three steps:
 * - It takes the write lock of the main environment. So only one thread writes at a time.
 * - It writes blocks of bulk topics into the environments of their days, and commits these environments to disk.
 * - It commits the main environment: the blocks of the other topics, and the new end offsets of all partitions of the
 *   append. From this commit on, readers see the append.
 *
 * A crash before the last step leaves blocks past the committed end. No reader reads past that end, and the next append
 * to the partition removes these blocks. Readers see a commit only when it is on disk, so no record that was read can
 * be lost.
 *
 * An append blocks its thread during the commit. If the commit ran in the thread pool, its callback could wait for a
 * busy event loop. During that wait, the write lock would block the writers of all other threads.
 */
import { join } from 'node:path'
import { type TopicTable, topics } from '../../../schemas/topics.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { heldFromAtMs } from '../../data-dir/reader-holds.ts'
import { OperationError } from '../../errors.ts'
import { checkRecords, groupByPartition, partitionId } from '../append.ts'
import type { Log, LogWriter, NewRecord } from '../log.ts'
import { appendGroups } from './append-groups.ts'
import { maintainEmbedded } from './maintenance.ts'
import { createReading } from './reading.ts'
import { openEmbeddedStore } from './store.ts'
import { countUnchecked } from './unchecked.ts'

export type EmbeddedLogOptions = Readonly<{
  dataDir: string
  /** The clock that gives the records their timestamp and their day. */
  nowMs: () => EpochMs
  topicTable?: TopicTable
}>

export type EmbeddedLog = Log &
  Readonly<{
    /** The number of records whose blocks may have no checksum. This is an upper limit. */
    uncheckedCount(): number
  }>

/**
 * Opens the log in `dataDir`/log and creates it if it does not exist. Every thread opens the log separately. Only the
 * process that holds the lock of the directory (`lockDataDir`) may open it. Fails with `dependency_missing` without the
 * package lmdb. Fails with `partition_count_changed` if a topic has data and another declared number of partitions.
 */
export async function createEmbeddedLog(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
  const { dataDir, nowMs, topicTable = topics } = options
  const folder = join(dataDir, 'log')
  const store = await openEmbeddedStore(dataDir, topicTable)
  const { checkOpen, announce, ...reading } = createReading(store, folder)

  const append = (records: readonly NewRecord[], checkWriter: () => void) => {
    checkOpen()
    checkRecords(records, topicTable)
    const groups = groupByPartition(records)
    appendGroups(store, groups, { appendedAtMs: nowMs(), checkWriter })
    announce(groups.map(({ topic, partition }) => partitionId(topic, partition)))
  }

  const openWriter = async (writerId: string): Promise<LogWriter> => {
    checkOpen()
    return writerOf(writerId, store.index.nextEpoch(writerId))
  }

  const writerOf = (writerId: string, epoch: number): LogWriter => {
    let isWriterClosed = false
    const checkWriter = () => {
      checkOpen()
      if (isWriterClosed) throw new OperationError('log_closed', `the writer ${writerId} is closed`)
    }
    return {
      append: async (records) => {
        checkWriter()
        append(records, () => store.index.checkEpoch(writerId, epoch))
      },
      confirm: async () => {
        checkWriter()
        store.main.resetReadTxn()
        store.index.checkEpoch(writerId, epoch)
      },
      reopen: async () => {
        checkOpen()
        return writerOf(writerId, store.index.nextEpoch(writerId, epoch))
      },
      close: async () => {
        isWriterClosed = true
      },
    }
  }

  return {
    ...reading,
    openWriter,
    maintain: async (atMs) => {
      checkOpen()
      // Frees the pages that killed readers were using. Otherwise these pages are never reused, and the file grows.
      store.main.readerCheck()
      await maintainEmbedded(store, { nowMs: atMs, heldFromAtMs: heldFromAtMs(dataDir) })
    },
    uncheckedCount: () => {
      checkOpen()
      store.main.resetReadTxn()
      return countUnchecked(store)
    },
  }
}
