import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until `isSo` is true, and returns the seconds. Returns null if this takes longer than `limitMs`.
 * Calls `isSo` only about one time per second, because free routes answer 120 requests per minute.
 */
export async function waitUntil(isSo: () => Promise<boolean>, limitMs: number): Promise<number | null> {
  const startedAtMs = performance.now()
  for (;;) {
    if (await isSo()) return Math.round((performance.now() - startedAtMs) / 100) / 10
    if (performance.now() - startedAtMs > limitMs) return null
    await sleep(1_000)
  }
}
