/**
 * Replaces `performance.now` by a clock that only the test moves. So a long wait takes no real time.
 * `restore` undoes the replacement.
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
