/** A function that returns a whole number from 0 to `below` - 1. */
export type Draw = (below: number) => number

/** A linear congruential generator. Equal seeds give equal numbers on every machine. */
export function createDraw(seed: number): Draw {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
