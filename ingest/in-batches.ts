/** The results, in the order of the items. So many are under way at once. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += atOnce)
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))))
  return results
}
