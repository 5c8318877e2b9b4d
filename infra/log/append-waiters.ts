/** The readers that wait for the next record of a partition. */
import type { TopicName } from '../../schemas/topics.ts'
import { onAbort } from '../on-abort.ts'
import { logClosed, partitionId } from './append.ts'
import type { LogOffset } from './log.ts'

export type AppendWaiters = Readonly<{
  /** Waits as `Log.waitForAppend` does. */
  wait(from: LogOffset, signal: AbortSignal): Promise<void>
  /** Lets the readers of these partitions continue if their record has arrived. Default: all partitions. */
  wake(partitionIds?: readonly string[]): void
  close(): void
  hasWaiters(): boolean
}>

type Waiter = Readonly<{ check(): void; stop(error: Error): void }>

export function createAppendWaiters(endOffsetOf: (topic: TopicName, partition: number) => number): AppendWaiters {
  const waiting = new Map<string, Set<Waiter>>()

  const wait = ({ topic, partition, offset }: LogOffset, signal: AbortSignal): Promise<void> => {
    if (endOffsetOf(topic, partition) > offset || signal.aborted) return Promise.resolve()
    const id = partitionId(topic, partition)
    const set = waiting.get(id) ?? new Set<Waiter>()
    waiting.set(id, set)
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        set.delete(waiter)
        if (set.size === 0 && waiting.get(id) === set) waiting.delete(id)
        withdraw()
        finish()
      }
      const waiter: Waiter = {
        check: () => {
          try {
            if (endOffsetOf(topic, partition) > offset) settle(resolve)
          } catch (error) {
            // The waiting reader gets the error. `wake` must not fail, because its caller is a timer, or an append that
            // is already committed.
            settle(() => reject(error))
          }
        },
        stop: (error) => settle(() => reject(error)),
      }
      set.add(waiter)
      const withdraw = onAbort(signal, () => settle(resolve))
    })
  }

  const each = (partitionIds: readonly string[], visit: (waiter: Waiter) => void) => {
    for (const id of partitionIds) for (const waiter of [...(waiting.get(id) ?? [])]) visit(waiter)
  }

  return {
    wait,
    wake: (partitionIds = [...waiting.keys()]) => each(partitionIds, (waiter) => waiter.check()),
    close: () => each([...waiting.keys()], (waiter) => waiter.stop(logClosed())),
    hasWaiters: () => waiting.size > 0,
  }
}
