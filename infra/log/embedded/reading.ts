/** Reads the embedded log. The process that owns the log and the readers in other processes share this code. */
import { realpathSync } from 'node:fs'
import { BroadcastChannel } from 'node:worker_threads'
import type { TopicName } from '../../../schemas/topics.ts'
import { checkPartition, logClosed } from '../append.ts'
import { type AppendWaiters, createAppendWaiters } from '../append-waiters.ts'
import type { LogReader } from '../log.ts'
import { readBounds, readCommitted } from './read.ts'
import type { EmbeddedStore } from './store.ts'

type Reading = LogReader &
  Readonly<{
    /** Throws `log_closed` if the log is closed. */
    checkOpen(): void
    /**
     * Wakes the waiting readers of this process. Readers in other processes look for new records a few times a second.
     */
    announce(partitionIds: readonly string[]): void
  }>

/** Creates the reading functions of a store. `close` also closes the store. */
export function createReading(store: EmbeddedStore, folder: string): Reading {
  let isClosed = false
  const checkOpen = () => {
    if (isClosed) throw logClosed()
  }
  const check = (topic: TopicName, partition: number) => {
    checkOpen()
    checkPartition(topic, partition, store.topicTable)
  }
  const waiters = createAppendWaiters((topic, partition) => {
    check(topic, partition)
    store.main.resetReadTxn()
    return store.index.endOf(topic, partition)
  })
  const signal = createAppendSignal(`log:${realpathSync(folder)}`, waiters)
  return {
    checkOpen,
    announce: signal.announce,
    read: async (from, { bytesMax = 1 << 20 } = {}) => {
      check(from.topic, from.partition)
      return readCommitted(store, from, bytesMax)
    },
    bounds: async (topic, partition) => {
      check(topic, partition)
      return readBounds(store, topic, partition)
    },
    waitForAppend: async (from, abort) => waiters.wait(from, abort),
    close: async () => {
      if (isClosed) return
      isClosed = true
      signal.close()
      waiters.close()
      await store.close()
    },
  }
}

/**
 * The interval at which waiting readers look for new records, in milliseconds. Readers in other processes
 * depend on this poll. The poll also finds records of a thread that was killed between its commit and its
 * message.
 */
const pollMs = 250

/** Notifies the other threads of the process about appended records. */
type AppendSignal = Readonly<{ announce(partitionIds: readonly string[]): void; close(): void }>

/**
 * Creates the signal of one thread. `name` must be the same in all threads that share the log. The signal does not keep
 * the process alive.
 */
function createAppendSignal(name: string, waiters: AppendWaiters): AppendSignal {
  const channel = new BroadcastChannel(name)
  channel.onmessage = (message: unknown) => waiters.wake((message as { data: readonly string[] }).data)
  channel.unref()
  const poll = setInterval(() => waiters.wake(), pollMs)
  poll.unref()
  return {
    announce: (partitionIds) => {
      waiters.wake(partitionIds)
      channel.postMessage(partitionIds)
    },
    close: () => {
      clearInterval(poll)
      channel.close()
    },
  }
}
