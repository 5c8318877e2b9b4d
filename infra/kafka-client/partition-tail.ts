/** Waits for new records of one partition. One long poll at the broker serves all waiting callers. */

import { setTimeout as delay } from 'node:timers/promises'
import { isOperationError } from '../errors.ts'
import { offsetAfter } from '../log/record-batch.ts'
import { onAbort } from '../on-abort.ts'
import { isPassing } from './broker-errors.ts'
import type { Fetched, PartitionReader } from './partition-reader.ts'

export type TailDependencies = Readonly<{
  reader: PartitionReader
  /** Selects the connection. A request that waits at the broker delays all later requests on its connection. */
  purpose: string
  /**
   * Called when a long poll fails because the leader has moved, because no broker answers, or for another
   * reason.
   */
  onFailure(error: unknown): void
  onAnswer(): void
}>

type Waiter = Readonly<{ offset: number; resolve(): void; reject(error: unknown): void }>

/**
 * The maximum duration of a long poll, in milliseconds. If all callers stop waiting, a long poll without new records
 * still continues until this time is over.
 */
const waitMs = 500
const bytesMax = 1 << 20
const retryPauseMsMin = 20
const retryPauseMsMax = 1000

export class PartitionTail {
  readonly #dependencies: TailDependencies
  readonly #waiters = new Set<Waiter>()
  /** The offset after the last committed record that a long poll has fetched. */
  #committedOffset = 0
  /** The offset of the running long poll. Null if there is none. */
  #fromOffset: number | null = null
  /** The error that callers get after the tail was closed. Null while the tail is open. */
  #closedBy: Error | null = null

  constructor(dependencies: TailDependencies) {
    this.#dependencies = dependencies
  }

  async wait(offset: number, signal: AbortSignal): Promise<void> {
    if (this.#closedBy) throw this.#closedBy
    if (signal.aborted || this.#committedOffset > offset) return
    await new Promise<void>((resolve, reject) => {
      const settle = (finish: () => void) => {
        this.#waiters.delete(waiter)
        withdraw()
        finish()
      }
      const waiter: Waiter = {
        offset,
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      }
      this.#waiters.add(waiter)
      const withdraw = onAbort(signal, () => settle(resolve))
      if (this.#fromOffset === null) void this.#follow()
      else if (offset < this.#fromOffset) this.#look(waiter)
    })
  }

  /** Rejects all present and later waiters with the error. */
  close(error: Error): void {
    this.#closedBy = error
    for (const waiter of [...this.#waiters]) waiter.reject(error)
  }

  /**
   * Looks for a record that is already in the partition at the offset of the waiting caller. The running long
   * poll began at a higher offset, so it would miss this record.
   */
  #look(waiter: Waiter): void {
    this.#dependencies.reader.read(waiter.offset, { bytesMax: 1 }).then(
      (batches) => {
        if (batches.length > 0) waiter.resolve()
      },
      // A failure is ignored here, because the long poll gets the same failure and handles it.
      () => {},
    )
  }

  async #follow(): Promise<void> {
    let retryPauseMs = retryPauseMsMin
    let emptyUntil = 0
    while (this.#waiters.size > 0) {
      const offset = Math.max(emptyUntil, Math.min(...[...this.#waiters].map((waiter) => waiter.offset)))
      this.#fromOffset = offset
      try {
        const { purpose, reader } = this.#dependencies
        const fetched = await reader.fetch(offset, { bytesMax, waitMs, purpose })
        this.#dependencies.onAnswer()
        this.#onFetched(offset, fetched)
        emptyUntil = fetched.blocks.length === 0 ? fetched.nextOffset : 0
        retryPauseMs = retryPauseMsMin
      } catch (error) {
        if (this.#closedBy) break
        this.#onFailure(error)
        await delay(retryPauseMs, undefined, { ref: false })
        retryPauseMs = Math.min(retryPauseMsMax, retryPauseMs * 2)
      }
    }
    this.#fromOffset = null
  }

  #onFetched(offset: number, fetched: Fetched): void {
    this.#dependencies.reader.keep(offset, fetched)
    const last = fetched.blocks.at(-1)
    if (!last) return
    this.#committedOffset = Math.max(this.#committedOffset, offsetAfter(last))
    for (const waiter of [...this.#waiters]) if (waiter.offset < this.#committedOffset) waiter.resolve()
  }

  #onFailure(error: unknown): void {
    this.#dependencies.onFailure(error)
    // After these failures, the callers continue to wait. An offset that is past the end of the partition may exist
    // later.
    if (isPassing(error) || isOperationError(error, 'offset_out_of_range')) return
    for (const waiter of [...this.#waiters]) waiter.reject(error)
  }
}
