/** Bad news is believed once the node repeats it: one that tells nonsense for some seconds must not end ingest. */
import type { Delay } from './delay.ts'

const pauseMs = 1_000

type Looking = Readonly<{ looks: number; delay: Delay; signal: AbortSignal }>

/** Whether the same is said at each of so many looks, a second apart. Fails as `ask` does. */
export async function saysSteadily(
  ask: () => Promise<string | number | null>,
  { looks, delay, signal }: Looking,
): Promise<boolean> {
  const said = await ask()
  for (let look = 1; look < looks; look++) {
    await delay(pauseMs, signal)
    signal.throwIfAborted()
    if ((await ask()) !== said) return false
  }
  return true
}
