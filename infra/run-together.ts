/**
 * Waits until all parts have ended. The first failure aborts `stop`. It is thrown when the other parts have ended too,
 * so that the caller can safely close what the parts use.
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
