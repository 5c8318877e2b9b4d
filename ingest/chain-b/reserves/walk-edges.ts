/** A step from one state to another. `item` is the trade or other object that makes the step. */
export type Edge<T> = Readonly<{ from: string; to: string; item: T }>

/**
 * Orders the items so that each item begins in the state in which the previous one ended, if possible. Such
 * an order is an Eulerian path, which Hierholzer's algorithm finds in linear time. If items are missing, the
 * result is several paths, beginning with the path from `start`. The same edges always give the same order.
 */
export function walkEdges<T>(edges: readonly Edge<T>[], start: string | undefined): readonly (readonly T[])[] {
  const leaving = new Map<string, Edge<T>[]>()
  const surplus = new Map<string, number>()
  // The order is reversed, so that `pop` takes the first edge first.
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
  return starts.map((state) => pathFrom(state, leaving)).filter((path) => path.length > 0)
}

/** Takes all remaining edges that can be reached from `start`, and returns their items as one path. */
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
