/** A function that closes what a test opened. Undefined: it was not opened. */
type Closing = (() => Promise<void>) | undefined

/**
 * Closes everything in order, and then fails with the first failure. What stays open could disturb the next test, such as the one engine of
 * the process.
 */
export async function closeAll(...closings: readonly Closing[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closings)
    try {
      await close?.()
    } catch (failure) {
      failures.push(failure)
    }
  if (failures.length > 0) throw failures[0]
}
