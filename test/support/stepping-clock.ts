/**
 * Replaces `performance.now` by a clock that only moves when a test moves it, so that long patience ends at once.
 * `restore` gives the real clock back.
 */
export function createSteppingClock() {
  const now = performance.now
  let nowMs = 1000
  performance.now = () => nowMs
  return {
    move: (ms: number) => {
      nowMs += ms
    },
    restore: () => {
      performance.now = now
    },
  }
}
