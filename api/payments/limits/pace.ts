/** A rate limit per second that saves up at most a quarter of a second's worth. */
export type Pace = Readonly<{
  isOpen: () => boolean
  take: () => void
  giveBack: () => void
}>

export function createPace(perSecond: number, nowMs: () => number): Pace {
  const savedMax = Math.max(1, perSecond / 4)
  let saved = savedMax
  let countedAtMs = nowMs()
  const count = () => {
    // A clock that was set back must not save anything up.
    saved = Math.min(savedMax, saved + (Math.max(0, nowMs() - countedAtMs) / 1000) * perSecond)
    countedAtMs = nowMs()
  }
  return {
    isOpen: () => {
      count()
      return saved >= 1
    },
    take: () => {
      saved -= 1
    },
    giveBack: () => {
      saved = Math.min(savedMax, saved + 1)
    },
  }
}
