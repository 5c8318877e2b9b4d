/**
 * Waits until all parts have ended. The first failure aborts `stop`. This failure is thrown only after the
 * other parts have ended too. Then the caller can safely close what the parts use.
 */
export async function runTogether(parts: readonly Promise<void>[], stop: AbortController): Promise<void> {
  const failures: unknown[] = []
  await Promise.all(
    parts.map((part) =>
      part.catch((error: unknown) => {
        failures.push(error)
        stop.abort()
      }),
    ),
  )
  if (failures.length > 0) throw failures[0]
}
