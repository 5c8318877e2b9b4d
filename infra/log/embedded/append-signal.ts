/** Tells the other threads of the process about appended records. */
import { BroadcastChannel } from 'node:worker_threads'
import type { AppendWaiters } from '../append-waiters.ts'

/** The interval of polls, which cover a thread that died between its commit and its message. */
const pollMs = 250

export type AppendSignal = Readonly<{ announce(partitionIds: readonly string[]): void; close(): void }>

/** `name` must be the same in all threads that share the log. Does not keep the process alive. */
export function createAppendSignal(name: string, waiters: AppendWaiters): AppendSignal {
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
