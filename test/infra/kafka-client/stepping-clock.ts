/** Replaces `performance.now` by a clock that only the test moves, so a long wait ends at once. `restore` undoes this. */
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
