/** Runs work in fair turns. Every waiting address gets one turn before any address gets another turn. */

export type Turns = Readonly<{
  /**
   * Runs the work in its turn. Returns null if the work was not run. This happens if the queue was full, or
   * if the client had disconnected before its turn.
   */
  take<Result>(asker: Asker, work: () => Promise<Result>): Promise<Result | null>
}>

export type Asker = Readonly<{ address: string; isGone: () => boolean }>

type Waiting = Readonly<{ run: () => Promise<void>; drop: () => void; isGone: () => boolean }>

type Limits = Readonly<{
  atOnceMax: number
  /**
   * The maximum number of waiting items of all addresses together. If it is reached, the last item of the
   * longest queue can make room for a new item. This happens only if that queue has at least two items more
   * than the queue of the new item's address. Otherwise the new item is dropped.
   */
  waitingMax: number
}>

export function createTurns({ atOnceMax, waitingMax }: Limits): Turns {
  /** The waiting items by address. The address that is served next comes first. */
  const waiting = new Map<string, Waiting[]>()
  let waitingCount = 0
  let runningCount = 0

  const makeRoomFor = (address: string): boolean => {
    if (waitingCount < waitingMax) return true
    const [longest] = [...waiting].sort(([, left], [, right]) => right.length - left.length)
    if (!longest || longest[1].length <= 1 + (waiting.get(address)?.length ?? 0)) return false
    longest[1].pop()?.drop()
    waitingCount -= 1
    return true
  }
  const next = (): Waiting | undefined => {
    const [first] = waiting
    if (!first) return undefined
    const [address, line] = first
    const taken = line.shift()
    waiting.delete(address)
    if (line.length > 0) waiting.set(address, line)
    waitingCount -= 1
    return taken
  }
  const runNext = (): void => {
    while (runningCount < atOnceMax) {
      const taken = next()
      if (!taken) return
      if (taken.isGone()) {
        taken.drop()
        continue
      }
      runningCount += 1
      void taken.run().finally(() => {
        runningCount -= 1
        runNext()
      })
    }
  }
  return {
    take: <Result>({ address, isGone }: Asker, work: () => Promise<Result>) =>
      new Promise<Result | null>((resolve, reject) => {
        if (runningCount >= atOnceMax && !makeRoomFor(address)) return resolve(null)
        const line = waiting.get(address) ?? []
        line.push({ run: () => work().then(resolve, reject), drop: () => resolve(null), isGone })
        waiting.set(address, line)
        waitingCount += 1
        runNext()
      }),
  }
}
