/** Looks whether what a writer committed can be read by everyone. */
import { isOperationError } from '../errors.ts'
import { openEnds } from './open-transactions.ts'
import type { Cluster } from './partition-reader.ts'
import type { TopicPartitions } from './producer.ts'

export type EndsCheckParts = Readonly<{
  cluster: Cluster
  /** How long after an append its partitions are looked at. While no broker answers, again after the same time. */
  afterMs: number
  /** Told of those that still end in records that nobody can read. */
  onOpen: (open: TopicPartitions) => void
}>

/**
 * A commit is answered before its marks are written, and a broker that is restarted in between may forget one of them
 * (`mark` in take-name.ts): nobody has met a failure then, and the records stay unreadable until the writer's next append
 * to the partition, which a writer at rest does not make.
 */
export class EndsCheck {
  readonly #parts: EndsCheckParts
  #appended = new Map<string, Set<number>>()
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(parts: EndsCheckParts) {
    this.#parts = parts
  }

  /** To be looked at: these were committed. */
  note(topics: TopicPartitions): void {
    if (this.#isStopped) return
    for (const { topic, partitions } of topics)
      this.#appended.set(topic, new Set([...(this.#appended.get(topic) ?? []), ...partitions]))
    this.#timer ??= setTimeout(() => void this.#look(), this.#parts.afterMs).unref()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** What was appended right before it may look open: to close that once more changes nothing. */
  async #look(): Promise<void> {
    const { cluster, afterMs, onOpen } = this.#parts
    const looked = [...this.#appended].map(([topic, its]) => ({ topic, partitions: [...its] }))
    this.#appended = new Map()
    this.#timer = null
    try {
      const open = await openEnds(cluster, looked, afterMs)
      if (open.length === 0 || this.#isStopped) return
      onOpen(open)
      // The marks that close them can be forgotten too.
      this.note(open)
    } catch (error) {
      // Anything else the next append meets too.
      if (isOperationError(error, 'log_unavailable')) this.note(looked)
    }
  }
}
