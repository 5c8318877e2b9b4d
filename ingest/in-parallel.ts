/**
 * The results, in the order of the items. Never more than `atOnceMax` are under way, and the next begins as soon as one is done.
 * After a failure none begins; it is thrown when those under way are done, so that a second attempt does not run beside them.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnceMax: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const left = items.entries()
  const workThrough = async () => {
    for (const [index, item] of left) {
      if (failures.length > 0) return
      try {
        results[index] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, workThrough))
  if (failures.length > 0) throw failures[0]
  return results
}
