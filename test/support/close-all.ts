/** A function that closes what a test opened. Undefined: it was not opened. */
type Closing = (() => Promise<void>) | undefined

/**
 * Closes everything in order, and then throws the first failure. A failure does not stop the closing, because
 * an open resource could disturb the next test. The process has only one ClickHouse engine.
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
