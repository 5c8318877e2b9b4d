/** What a test opened, in the order in which it closes. Undefined: it was never opened. */
type Closing = (() => Promise<void>) | undefined

/**
 * Fails with the first failure, when all had their turn: a test that failed leaves nothing behind that is in the way of the
 * next, as the one engine of the process would be.
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
