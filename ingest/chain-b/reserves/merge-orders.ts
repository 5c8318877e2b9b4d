/**
 * Merges partial orders of `0 … count - 1` into one order. Ties go to the lower number. Where the given orders
 * contradict each other, some are violated.
 */
export function mergeOrders(count: number, orders: readonly (readonly number[])[]): readonly number[] {
  const followers = Array.from({ length: count }, (): number[] => [])
  const waitsFor = new Int32Array(count)
  for (const order of orders)
    for (const [index, item] of order.entries()) {
      const next = order[index + 1]
      if (next === undefined || next === item) continue
      followers[item]?.push(next)
      waitsFor[next] = (waitsFor[next] ?? 0) + 1
    }
  const left = new Set(Array.from({ length: count }, (_, item) => item))
  const merged: number[] = []
  while (left.size > 0) {
    const item = firstFree(left, waitsFor)
    left.delete(item)
    merged.push(item)
    for (const next of followers[item] ?? []) waitsFor[next] = (waitsFor[next] ?? 0) - 1
  }
  return merged
}

/** The lowest number that waits for nothing. If the orders contradict each other, the lowest of all. */
function firstFree(left: ReadonlySet<number>, waitsFor: Int32Array): number {
  let lowest = Number.POSITIVE_INFINITY
  for (const item of left) {
    if ((waitsFor[item] ?? 0) <= 0) return item
    lowest = Math.min(lowest, item)
  }
  return lowest
}
