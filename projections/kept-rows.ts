/**
 * Keeps the row of an answer beside the table rows that it is made of. As long as nothing changed, an answer then has
 * the same object as the answer before, so its JSON can be kept too.
 */

/**
 * Returns a function that makes a row from table rows and from values that are computed at each cut, such as counts. It
 * returns the former object if the table rows are the same object and the values have the same JSON.
 */
export function keepRows<Selected extends object, Computed, Row>(
  make: (selected: Selected, computed: Computed) => Row,
): (selected: Selected, computed: Computed) => Row {
  const kept = new WeakMap<Selected, Readonly<{ computed: string; row: Row }>>()
  return (selected, computed) => {
    const text = JSON.stringify(computed)
    const known = kept.get(selected)
    if (known?.computed === text) return known.row
    const row = make(selected, computed)
    kept.set(selected, { computed: text, row })
    return row
  }
}
