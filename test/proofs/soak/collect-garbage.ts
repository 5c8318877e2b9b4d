import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Of this thread, all of it; what stays is moved together. What is measured then is what is held, not how long ago V8 last
 * looked nor over how many pages it was spread: V8 by itself leaves a heap of old objects on two to three times the pages it
 * needs, more or less as the machine is busy, as soon as some of them go (pools do after 25.5 hours).
 *
 * Flags are of the process: no two threads at the same time.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  setFlagsFromString('--compact-on-every-full-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  // What has finalizers goes with the second.
  collect()
  setFlagsFromString('--no-compact-on-every-full-gc')
}
