/** Makes sources and programs that run beside each other move in turn, so that a past happens in steps as a present does. */

export type Turns = Readonly<{
  /** Whoever waits here moves on at its next turn, and is idle until then. */
  wait(signal: AbortSignal): Promise<void>
  /** Resolves when somebody waits here, or is gone. */
  come(): Promise<void>
  /** Gives a turn. Resolves when whoever got it waits again, or is gone. */
  give(): Promise<void>
  /** It never waits again. */
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
