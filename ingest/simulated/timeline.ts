/**
 * A queue that gives the item with the earliest time first. Items with equal times are ordered by rank. The
 * queue is a binary heap.
 */

export type Timeline<Item> = Readonly<{
  add(item: Item): void
  first(): Item | undefined
  removeFirst(): void
  /** Moves the first item to its new place after its time has changed. */
  moveFirst(): void
}>

export function createTimeline<Item>(momentOf: (item: Item) => readonly [number, number]): Timeline<Item> {
  type Entry = { item: Item; at: number; rank: number }
  const heap: Entry[] = []
  const isBefore = (left: Entry, right: Entry) => left.at < right.at || (left.at === right.at && left.rank < right.rank)

  function sink(entry: Entry): void {
    let index = 0
    for (;;) {
      const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]]
      if (left === undefined) break
      const isRight = right !== undefined && isBefore(right, left)
      const child = isRight ? right : left
      if (!isBefore(child, entry)) break
      heap[index] = child
      index = 2 * index + (isRight ? 2 : 1)
    }
    heap[index] = entry
  }

  return {
    add(item) {
      const [at, rank] = momentOf(item)
      const entry = { item, at, rank }
      let index = heap.length
      for (;;) {
        const parent = heap[(index - 1) >> 1]
        if (parent === undefined || !isBefore(entry, parent)) break
        heap[index] = parent
        index = (index - 1) >> 1
      }
      heap[index] = entry
    },
    first: () => heap[0]?.item,
    removeFirst() {
      const last = heap.pop()
      if (heap.length > 0) sink(last as Entry)
    },
    moveFirst() {
      const [entry] = heap
      if (entry === undefined) return
      ;[entry.at, entry.rank] = momentOf(entry.item)
      sink(entry)
    },
  }
}
