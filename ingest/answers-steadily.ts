/**
 * Checks whether a node repeats an answer before the answer ends ingest. Wrong answers for some seconds must
 * not end ingest.
 */
import type { Delay } from './delay.ts'

const pauseMs = 1_000

type Looking = Readonly<{ looks: number; delay: Delay; signal: AbortSignal }>

/** Returns whether `looks` requests at intervals of 1 s all get the same answer. Rejects if `ask` rejects. */
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
