/**
 * Runs `work` for all items and returns the results in the order of the items. At most `atOnceMax` items run
 * at the same time. After a failure, no further item starts. The failure is thrown only after the running
 * items have finished, so that a new attempt does not overlap with them.
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
