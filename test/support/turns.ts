/** Makes sources and programs that run beside each other move in turn, so that a past happens in steps as a present does. */

export type Turns = Readonly<{
  /** Whoever waits here moves on at its next turn, and is idle until then. */
  wait(signal: AbortSignal): Promise<void>
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
  return {
    async wait(signal) {
      await new Promise<void>((resolve) => {
        begin = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
        becomeIdle()
      })
      begin = null
    },
    async give() {
      // Whoever has not come yet comes before its first turn.
      if (begin === null && !isGone) await new Promise<void>((resolve) => (idle = resolve))
      if (isGone) return
      const moved = new Promise<void>((resolve) => (idle = resolve))
      begin?.()
      await moved
    },
    leave() {
      isGone = true
      becomeIdle()
    },
  }
}
