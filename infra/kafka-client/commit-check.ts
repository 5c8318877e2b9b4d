/** Checks that readers can read the records of a commit some time after the commit. */
import { isOperationError } from '../errors.ts'
import type { TopicPartitions } from './kafkajs-parts.ts'

export type CommitCheckDependencies = Readonly<{
  /**
   * Reads the partitions until their newest records are readable, at most for `patienceMs` milliseconds. Returns the
   * partitions whose newest records are still not readable.
   */
  findOpen: (topics: TopicPartitions, patienceMs: number) => Promise<TopicPartitions>
  /** The time from a commit to its check, and between two checks while no broker answers, in milliseconds. */
  afterMs: number
  /** Called with the partitions whose last records are still unreadable. */
  onOpen: (open: TopicPartitions) => void
}>

/**
 * Checks after a delay that the records of each commit are readable. The coordinator confirms a commit before
 * it has written the transaction markers. If a broker restarts in between, a marker can be lost without any
 * failed request (see `writeMarkers`). Without this check, the records would stay unreadable until the
 * producer's next append to the partition.
 */
export class CommitCheck {
  readonly #dependencies: CommitCheckDependencies
  #appended = new Map<string, Set<number>>()
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(dependencies: CommitCheckDependencies) {
    this.#dependencies = dependencies
  }

  /** Adds the partitions of a commit to the next check. */
  note(topics: TopicPartitions): void {
    if (this.#isStopped) return
    for (const { topic, partitions } of topics)
      this.#appended.set(topic, new Set([...(this.#appended.get(topic) ?? []), ...partitions]))
    this.#timer ??= setTimeout(() => void this.#check(), this.#dependencies.afterMs).unref()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /**
   * Looks for partitions with missing markers. A commit right before the check may not have its markers yet.
   * These markers are then written twice, which does no harm.
   */
  async #check(): Promise<void> {
    const { findOpen, afterMs, onOpen } = this.#dependencies
    const checked = [...this.#appended].map(([topic, its]) => ({ topic, partitions: [...its] }))
    this.#appended = new Map()
    this.#timer = null
    try {
      const open = await findOpen(checked, afterMs)
      if (open.length === 0 || this.#isStopped) return
      onOpen(open)
      // The new markers can be lost too, so the next check includes these partitions again.
      this.note(open)
    } catch (error) {
      // Other failures are ignored here. The next append meets the same failure and throws it.
      if (isOperationError(error, 'log_unavailable')) this.note(checked)
    }
  }
}
