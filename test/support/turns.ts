/**
 * Lets a test decide when each of several parallel sources and programs runs, so that a replay runs step by
 * step.
 */

export type Turns = Readonly<{
  /** Waits for the next turn of the program. The program is idle until then. */
  wait(signal: AbortSignal): Promise<void>
  /** Resolves when the program is waiting for a turn or has left. */
  come(): Promise<void>
  /** Gives the program a turn. Resolves when the program is waiting again or has left. */
  give(): Promise<void>
  /** Makes the program leave, so that it takes no more turns. */
  leave(): void
}>

export function createTurns(): Turns {
  let isGone = false
  let begin: (() => void) | null = null
  let idle: (() => void) | null = null
  const becomeIdle = () => {
    idle?.()
    idle = null
  }
  const come = async () => {
    if (begin === null && !isGone)
      await new Promise<void>((resolve) => {
        idle = resolve
      })
  }
  return {
    async wait(signal) {
      await new Promise<void>((resolve) => {
        begin = () => {
          signal.removeEventListener('abort', resolve as () => void)
          resolve()
        }
        signal.addEventListener('abort', resolve as () => void, { once: true })
        if (signal.aborted) resolve()
        becomeIdle()
      })
      begin = null
    },
    come,
    async give() {
      await come()
      if (isGone) return
      const moved = new Promise<void>((resolve) => {
        idle = resolve
      })
      begin?.()
      await moved
    },
    leave() {
      isGone = true
      becomeIdle()
    },
  }
}
