/** Checks that committed records have become readable. */
import { isOperationError } from '../errors.ts'
import type { Cluster } from './cluster.ts'
import type { TopicPartitions } from './kafkajs-parts.ts'
import { openTransactions } from './open-transactions.ts'

export type CommitCheckDependencies = Readonly<{
  cluster: Cluster
  /** Time from a commit to its check, and between two checks while no broker answers. */
  afterMs: number
  /** Called with the partitions that still end in unreadable records. */
  onOpen: (open: TopicPartitions) => void
}>

/**
 * The coordinator answers a commit before its markers are written. If a broker restarts in between, a marker can be
 * lost (see `writeMarkers`) without any failed request. The records would stay unreadable until the producer's next
 * append to the partition, and an idle producer makes none.
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

  /** A commit right before the check may look open. Writing its markers again changes nothing. */
  async #check(): Promise<void> {
    const { cluster, afterMs, onOpen } = this.#dependencies
    const checked = [...this.#appended].map(([topic, its]) => ({ topic, partitions: [...its] }))
    this.#appended = new Map()
    this.#timer = null
    try {
      const open = await openTransactions(cluster, checked, afterMs)
      if (open.length === 0 || this.#isStopped) return
      onOpen(open)
      // The markers that replace the lost ones can be lost too.
      this.note(open)
    } catch (error) {
      // Any other failure also meets the next append, which throws it.
      if (isOperationError(error, 'log_unavailable')) this.note(checked)
    }
  }
}
