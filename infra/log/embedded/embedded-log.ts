/**
 * The log in LMDB, for one process and its threads.
 *
 * Facts have one environment a day, so that retention is deleting a folder; all else is in the main environment. An append takes the main
 * environment's write lock (one writer at a time, over all threads), writes the blocks into the days' environments and
 * commits those to disk, then commits the main environment: the new end offsets of all its partitions, and the blocks of
 * topics without a day. That one commit is the append. A crash before it leaves blocks past the committed end: no reader
 * goes there, and the next append to the partition removes them. A crash after it leaves all. Because readers see a
 * commit only when it is on disk, and the blocks were there first, nothing that was read can be lost.
 *
 * Appends block their thread for the length of the commit instead of handing it to the pool: a callback that waits for
 * a busy event loop would keep every other thread's writer out meanwhile.
 */

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { TopicTable } from '../../../schemas/topics.ts'
import { type TopicName, topics } from '../../../schemas/topics.ts'
import { OperationError } from '../../errors.ts'
import { checkPartition, checkRecords, groupByPartition, logClosed, partitionId } from '../append.ts'
import { createAppendWaiters } from '../append-waiters.ts'
import type { Log, LogWriter, NewRecord } from '../log.ts'
import { appendGroups } from './append-groups.ts'
import { createAppendSignal } from './append-signal.ts'
import { maintainEmbedded } from './maintenance.ts'
import { readBounds, readCommitted } from './read.ts'
import { openEmbeddedStore } from './store.ts'

export type EmbeddedLogOptions = Readonly<{
  dataDir: string
  /** Stamps the records and chooses the day that they are kept in. */
  nowMs: () => number
  topicTable?: TopicTable
}>

/**
 * Opens the log in `dataDir`/log, empty where there is none. Every thread opens its own; only one process may
 * (`lockDataDir`). Fails with `dependency_missing` without lmdb, with `partition_count_changed` where a topic's data was
 * written under another count.
 */
export async function createEmbeddedLog(options: EmbeddedLogOptions): Promise<Log> {
  const { dataDir, nowMs, topicTable = topics } = options
  const folder = join(dataDir, 'log')
  const store = await openEmbeddedStore(folder, topicTable)
  let isClosed = false

  const checkOpen = () => {
    if (isClosed) throw logClosed()
  }
  const check = (topic: TopicName, partition: number) => {
    checkOpen()
    checkPartition(topic, partition, topicTable)
  }
  const waiters = createAppendWaiters((topic, partition) => {
    check(topic, partition)
    store.main.resetReadTxn()
    return store.index.endOf(topic, partition)
  })
  const signal = createAppendSignal(`log:${realpathSync(folder)}`, waiters)

  const append = (records: readonly NewRecord[], checkWriter: () => void) => {
    checkOpen()
    checkRecords(records, topicTable)
    const groups = groupByPartition(records)
    appendGroups(store, groups, { appendedAtMs: nowMs(), checkWriter })
    signal.announce(groups.map(({ topic, partition }) => partitionId(topic, partition)))
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
    openWriter,
    read: async (position, { bytesMax = 1 << 20 } = {}) => {
      check(position.topic, position.partition)
      return readCommitted(store, position, bytesMax)
    },
    bounds: async (topic, partition) => {
      check(topic, partition)
      return readBounds(store, topic, partition)
    },
    waitForAppend: async (position, abort) => waiters.wait(position, abort),
    maintain: async (atMs) => {
      checkOpen()
      await maintainEmbedded(store, atMs)
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      signal.close()
      waiters.close()
      await store.close()
    },
  }
}
