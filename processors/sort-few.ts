/** Above this length, `Array.sort` takes less time. Insertion takes a time that grows with the square of the length. */
const fewMax = 64

/**
 * Sorts in place, and keeps the order of equal items. Sorts short lists by insertion, which takes less time than
 * `Array.sort` there.
 */
export function sortFew<Item>(items: Item[], isBefore: (left: Item, right: Item) => boolean): void {
  if (items.length > fewMax) items.sort((left, right) => (isBefore(left, right) ? -1 : Number(isBefore(right, left))))
  else sortByInsertion(items, isBefore)
}

function sortByInsertion<Item>(items: Item[], isBefore: (left: Item, right: Item) => boolean): void {
  for (let sorted = 1; sorted < items.length; sorted++) {
    const moved = items[sorted] as Item
    let at = sorted
    for (; at > 0 && isBefore(moved, items[at - 1] as Item); at--) items[at] = items[at - 1] as Item
    items[at] = moved
  }
}
