/** One wish to wake. `entry` is whatever the walk keeps of the token. */
export type Timer<Entry> = Readonly<{
  dueAtMs: number
  token: string
  processorIndex: number
  entry: Entry
}>

/** Earliest due first, then by token, then by the processor's place in the topology: never by who asked first. */
export type Timers<Entry> = Readonly<{
  push(timer: Timer<Entry>): void
  /** Takes the first timer due strictly before the instant; null when none is. */
  popBefore(atMs: number): Timer<Entry> | null
  size(): number
  clear(): void
}>

/** A binary heap: a wake costs the logarithm of the pending ones, and the usual question ("none due?") one comparison. */
export function createTimers<Entry>(): Timers<Entry> {
  const heap: Timer<Entry>[] = []
  return {
    push(timer) {
      heap.push(timer)
      siftUp(heap, heap.length - 1)
    },
    popBefore(atMs) {
      const first = heap[0]
      if (first === undefined || first.dueAtMs >= atMs) return null
      const last = heap.pop() as Timer<Entry>
      if (heap.length > 0) {
        heap[0] = last
        siftDown(heap, 0)
      }
      return first
    },
    size: () => heap.length,
    clear() {
      heap.length = 0
    },
  }
}

function isBefore(left: Timer<unknown>, right: Timer<unknown>): boolean {
  if (left.dueAtMs !== right.dueAtMs) return left.dueAtMs < right.dueAtMs
  if (left.token !== right.token) return left.token < right.token
  return left.processorIndex < right.processorIndex
}

function siftUp<Entry>(heap: Timer<Entry>[], from: number): void {
  const moved = heap[from] as Timer<Entry>
  let at = from
  while (at > 0) {
    const parentAt = (at - 1) >>> 1
    const parent = heap[parentAt] as Timer<Entry>
    if (!isBefore(moved, parent)) break
    heap[at] = parent
    at = parentAt
  }
  heap[at] = moved
}

function siftDown<Entry>(heap: Timer<Entry>[], from: number): void {
  const moved = heap[from] as Timer<Entry>
  let at = from
  for (;;) {
    let childAt = 2 * at + 1
    const left = heap[childAt]
    if (left === undefined) break
    const right = heap[childAt + 1]
    if (right !== undefined && isBefore(right, left)) childAt += 1
    const child = heap[childAt] as Timer<Entry>
    if (!isBefore(child, moved)) break
    heap[at] = child
    at = childAt
  }
  heap[at] = moved
}
