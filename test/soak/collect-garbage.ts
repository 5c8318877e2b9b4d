import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Of this thread, all of it. What is measured then is what is held, not how long ago V8 last looked. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  // What has finalizers goes with the second.
  collect()
}
