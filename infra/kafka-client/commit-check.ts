/** Checks that committed records have become readable. */
import { isOperationError } from '../errors.ts'
import type { Cluster } from './cluster.ts'
import type { TopicPartitions } from './kafkajs-parts.ts'
import { openTransactions } from './open-transactions.ts'

export type CommitCheckDependencies = Readonly<{
  cluster: Cluster
  /** The time from a commit to its check, and between two checks while no broker answers. In milliseconds. */
  afterMs: number
  /** Called with the partitions whose last records are still unreadable. */
  onOpen: (open: TopicPartitions) => void
}>

/**
 * Checks a while after each commit that its records are readable. The coordinator answers a commit before its markers
 * are written. If a broker restarts in between, a marker can be lost (see `writeMarkers`) although no request has
 * failed. The records would stay unreadable until the producer's next append to the partition, and an idle producer
 * makes no append.
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
   * Looks for partitions with missing markers. A commit right before the check may not have its markers yet. Writing
   * these markers again changes nothing.
   */
  async #check(): Promise<void> {
    const { cluster, afterMs, onOpen } = this.#dependencies
    const checked = [...this.#appended].map(([topic, its]) => ({ topic, partitions: [...its] }))
    this.#appended = new Map()
    this.#timer = null
    try {
      const open = await openTransactions(cluster, checked, afterMs)
      if (open.length === 0 || this.#isStopped) return
      onOpen(open)
      // The markers that replace the lost markers can be lost too.
      this.note(open)
    } catch (error) {
      // The next append meets any other failure too, and throws it.
      if (isOperationError(error, 'log_unavailable')) this.note(checked)
    }
  }
}
