/** Something that leads from one state to another. */
export type Edge<T> = Readonly<{ from: string; to: string; item: T }>

/**
 * The items in an order in which each begins where the one before it ended, as far as there is one: an Eulerian path, found
 * by Hierholzer's algorithm in linear time. Where something is missing, the pieces follow each other. Of several
 * orders it takes one; the same for the same edges.
 */
export function walkEdges<T>(edges: readonly Edge<T>[], start: string | undefined): readonly T[] {
  const leaving = new Map<string, Edge<T>[]>()
  const surplus = new Map<string, number>()
  // In reverse, so that the first is taken from the end.
  for (const edge of [...edges].reverse()) {
    const others = leaving.get(edge.from)
    if (others) others.push(edge)
    else leaving.set(edge.from, [edge])
    surplus.set(edge.from, (surplus.get(edge.from) ?? 0) + 1)
    surplus.set(edge.to, (surplus.get(edge.to) ?? 0) - 1)
  }
  const states = edges.map(({ from }) => from)
  const openings = states.filter((state) => (surplus.get(state) ?? 0) > 0)
  const starts = start === undefined ? [...openings, ...states] : [start, ...openings, ...states]
  return starts.flatMap((state) => pathFrom(state, leaving))
}

/** Takes all edges that can be reached. */
function pathFrom<T>(start: string, leaving: ReadonlyMap<string, Edge<T>[]>): readonly T[] {
  const path: T[] = []
  const stack: { state: string; by: Edge<T> | null }[] = [{ state: start, by: null }]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const edge = leaving.get(top.state)?.pop()
    if (edge) stack.push({ state: edge.to, by: edge })
    else {
      if (top.by) path.push(top.by.item)
      stack.pop()
    }
  }
  return path.reverse()
}
