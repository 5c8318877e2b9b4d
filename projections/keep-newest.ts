/** Answers that are the same at many cuts are made once. */

/** Keeps the newest `countMax` of what was made, by id. A failure is not kept. */
export function keepNewest<Value>(countMax: number): (id: string, make: () => Promise<Value>) => Promise<Value> {
  const kept = new Map<string, Promise<Value>>()
  return (id, make) => {
    const found = kept.get(id)
    if (found) return found
    const made = make()
    kept.set(id, made)
    made.catch(() => kept.delete(id))
    for (const oldest of kept.keys()) {
      if (kept.size <= countMax) break
      kept.delete(oldest)
    }
    return made
  }
}
