/** Doubles are promised to a relative 1e-9; near zero, where a return is a difference, to the same of 1. */
export const isClose = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other))
