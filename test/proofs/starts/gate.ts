/** Simulates a slow node. Slow calls wait until the gate opens, and then pass in the order of their arrival. */

export type Gate = Readonly<{
  /** Lets `count` more calls pass. */
  open(count: number): void
  pass(atMs: number, signal: AbortSignal): Promise<void>
}>

export function createGate(isSlow: (atMs: number) => boolean): Gate {
  const waiting: (() => void)[] = []
  let isWideOpen = false
  return {
    open(count) {
      isWideOpen = count === Number.POSITIVE_INFINITY
      for (let passed = 0; passed < count && waiting.length > 0; passed++) waiting.shift()?.()
    },
    async pass(atMs, signal) {
      if (isWideOpen || signal.aborted || !isSlow(atMs)) return
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    },
  }
}
