import { setTimeout as sleep } from 'node:timers/promises'

/** The seconds until `isSo` is true. Null: it took too long. Free routes answer 120 requests a minute. */
export async function waitUntil(isSo: () => Promise<boolean>, limitMs: number): Promise<number | null> {
  const startedAtMs = performance.now()
  for (;;) {
    if (await isSo()) return Math.round((performance.now() - startedAtMs) / 100) / 10
    if (performance.now() - startedAtMs > limitMs) return null
    await sleep(1_000)
  }
}
