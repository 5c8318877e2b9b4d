/**
 * Waits until all parts have ended. The first failure stops the others and is thrown once they have: nothing goes on
 * behind the back of whoever closes what they use.
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
