/** Doubles must agree to a relative 1e-9. A return near zero is a difference of numbers near 1, so it must agree to 1e-9 of 1. */
export const isClose = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other))
