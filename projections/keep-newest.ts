/**
 * Caches by id the `countMax` values that were asked for last. This is for answers that are the same at many cuts.
 * Failures are not cached.
 */
export function keepNewest<Value>(countMax: number): (id: string, make: () => Promise<Value>) => Promise<Value> {
  const kept = new Map<string, Promise<Value>>()
  return (id, make) => {
    const found = kept.get(id)
    const made = found ?? make()
    kept.delete(id)
    kept.set(id, made)
    if (found) return made
    // When `made` fails, it may no longer be in `kept`, and another value may have the same id.
    made.catch(() => {
      if (kept.get(id) === made) kept.delete(id)
    })
    for (const oldest of kept.keys()) {
      if (kept.size <= countMax) break
      kept.delete(oldest)
    }
    return made
  }
}
