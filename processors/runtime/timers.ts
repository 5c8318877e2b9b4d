import type { EpochMs } from '../../schemas/units.ts'

export type Timer = Readonly<{
  dueAtMs: EpochMs
  entry: Readonly<{ token: string }>
  processorIndex: number
}>

/**
 * A queue of timers, ordered by due time, then by token, then by the index of the processor. The order in
 * which timers are added does not matter.
 */
export type Timers<Its extends Timer> = Readonly<{
  push(timer: Its): void
  /** Removes and returns the first timer due strictly before `atMs`. Returns null if there is none. */
  popBefore(atMs: EpochMs): Its | null
  size(): number
  clear(): void
}>

/**
 * Implements the queue as a binary heap: a push or pop takes time logarithmic in the number of timers.
 * Usually no timer is due, and then `popBefore` makes only one comparison.
 */
export function createTimers<Its extends Timer>(): Timers<Its> {
  const heap: Its[] = []
  return {
    push(timer) {
      heap.push(timer)
      siftUp(heap, heap.length - 1)
    },
    popBefore(atMs) {
      const first = heap[0]
      if (first === undefined || first.dueAtMs >= atMs) return null
      const last = heap.pop() as Its
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

function isBefore(left: Timer, right: Timer): boolean {
  if (left.dueAtMs !== right.dueAtMs) return left.dueAtMs < right.dueAtMs
  if (left.entry !== right.entry) return left.entry.token < right.entry.token
  return left.processorIndex < right.processorIndex
}

function siftUp<Its extends Timer>(heap: Its[], from: number): void {
  const moved = heap[from] as Its
  let at = from
  while (at > 0) {
    const parentAt = (at - 1) >>> 1
    const parent = heap[parentAt] as Its
    if (!isBefore(moved, parent)) break
    heap[at] = parent
    at = parentAt
  }
  heap[at] = moved
}

function siftDown<Its extends Timer>(heap: Its[], from: number): void {
  const moved = heap[from] as Its
  let at = from
  for (;;) {
    let childAt = 2 * at + 1
    const left = heap[childAt]
    if (left === undefined) break
    const right = heap[childAt + 1]
    if (right !== undefined && isBefore(right, left)) childAt += 1
    const child = heap[childAt] as Its
    if (!isBefore(child, moved)) break
    heap[at] = child
    at = childAt
  }
  heap[at] = moved
}
