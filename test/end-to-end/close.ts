/**
 * Returns whether two numbers agree to a relative 1e-9. Below 1, an absolute difference of 1e-9 is allowed,
 * because a return near zero is a difference of numbers near 1.
 */
export const isClose = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other))
