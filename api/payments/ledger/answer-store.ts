/**
 * Stores the bytes of paid answers for repeated payments. The store has a maximum size. If an answer was
 * dropped, the same bytes are built again from the data of the same time.
 */
export type AnswerStore = Readonly<{
  keep: (paymentId: string, bytes: Buffer) => void
  get: (paymentId: string) => Buffer | undefined
  /** Marks an answer as delivered. When the store is full, delivered answers are dropped before the others. */
  markDelivered: (paymentId: string) => void
  drop: (paymentId: string) => void
}>

export function createAnswerStore(bytesMax: number): AnswerStore {
  const waiting = new Map<string, Buffer>()
  const delivered = new Map<string, Buffer>()
  let heldBytes = 0
  /** One iterator for all calls of `dropOldest`. A new one would first pass the places of all dropped answers. */
  let oldestDelivered: IterableIterator<string> | null = null

  const nextDelivered = (): string | undefined => {
    oldestDelivered ??= delivered.keys()
    return oldestDelivered.next().value
  }
  const remove = (paymentId: string) => {
    for (const answers of [waiting, delivered]) {
      heldBytes -= answers.get(paymentId)?.length ?? 0
      answers.delete(paymentId)
    }
  }
  const dropOldest = () => {
    const oldest = delivered.size > 0 ? nextDelivered() : waiting.keys().next().value
    if (oldest !== undefined) remove(oldest)
  }
  const drop = (paymentId: string) => {
    // Until an iterator is used again, it holds earlier tables of the map with all their answers.
    if (delivered.has(paymentId)) oldestDelivered = null
    remove(paymentId)
  }
  return {
    keep: (paymentId, bytes) => {
      drop(paymentId)
      waiting.set(paymentId, bytes)
      heldBytes += bytes.length
      while (heldBytes > bytesMax) dropOldest()
    },
    get: (paymentId) => waiting.get(paymentId) ?? delivered.get(paymentId),
    markDelivered: (paymentId) => {
      const bytes = waiting.get(paymentId)
      if (!bytes) return
      waiting.delete(paymentId)
      delivered.set(paymentId, bytes)
    },
    drop,
  }
}
