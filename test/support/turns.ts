/** Lets parallel sources and programs run in turns, so that a replayed past happens step by step. */

export type Turns = Readonly<{
  /** A program calls this to wait for its next turn. It is idle until then. */
  wait(signal: AbortSignal): Promise<void>
  /** Resolves when the program waits for a turn or has left. */
  come(): Promise<void>
  /** Gives a turn. Resolves when the program waits again or has left. */
  give(): Promise<void>
  /** The program leaves and takes no more turns. */
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
