/**
 * Checks whether a node repeats an answer that would end ingest. A node that is wrong for a few seconds must
 * not end ingest.
 */
import type { Delay } from './delay.ts'

const pauseMs = 1_000

type Looking = Readonly<{ looks: number; delay: Delay; signal: AbortSignal }>

/**
 * Sends the request `looks` times at intervals of 1 s. Returns whether all answers are equal. Rejects if
 * `ask` rejects.
 */
export async function answersSteadily(
  ask: () => Promise<string | number | null>,
  { looks, delay, signal }: Looking,
): Promise<boolean> {
  const first = await ask()
  for (let look = 1; look < looks; look++) {
    await delay(pauseMs, signal)
    signal.throwIfAborted()
    if ((await ask()) !== first) return false
  }
  return true
}
