/** Sorts in place by insertion. For short or nearly sorted lists this is several times faster than `Array.sort`. */
export function sortFew<Item>(items: Item[], isBefore: (left: Item, right: Item) => boolean): void {
  for (let sorted = 1; sorted < items.length; sorted++) {
    const moved = items[sorted] as Item
    let at = sorted
    for (; at > 0 && isBefore(moved, items[at - 1] as Item); at--) items[at] = items[at - 1] as Item
    items[at] = moved
  }
}
