/**
 * Lists without spare capacity, for the states of tokens. V8 reserves 16 more entries for a list that is made with `push`,
 * a spread or `filter`. Nearly all lists of a token have one entry or none, and a token has a dozen lists.
 *
 * No such list may be changed in place, because it may be in the states of many tokens.
 */

/** The empty list that all states share. */
export const noItems: readonly never[] = []

/** Returns a new list with the item at its end. */
export const withItem = <Item>(list: readonly Item[], item: Item): readonly Item[] => list.concat([item])

/** Returns a list of the items that `isKept` accepts. */
export function keptOf<Item>(list: readonly Item[], isKept: (item: Item) => boolean): readonly Item[] {
  const kept = list.filter(isKept)
  return kept.length === 0 ? noItems : kept.slice()
}
