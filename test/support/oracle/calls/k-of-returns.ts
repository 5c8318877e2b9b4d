/**
 * Computes the weight k of the mean return of all callers. A caller's score counts this mean like k more
 * calls of the caller. Here, k is computed directly from each return.
 */
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]): number => sumOf(values) / values.length
const squaresAround = (center: number, values: readonly number[]): number =>
  sumOf(values.map((value) => (value - center) ** 2))

/**
 * Returns the variance among the calls of one caller, divided by the variance among the true means of
 * callers. `callers` has the returns of each caller. Returns above `mostReturn` count as `mostReturn`.
 */
export function kOfReturns(callers: readonly (readonly number[])[], mostReturn: number): number {
  const counted = callers.map((returns) => returns.map((value) => Math.min(value, mostReturn)))
  const all = counted.flat()
  const within =
    sumOf(counted.map((returns) => squaresAround(meanOf(returns), returns))) / (all.length - counted.length)
  const seen = sumOf(counted.map((returns) => returns.length * (meanOf(returns) - meanOf(all)) ** 2))
  const byChance = (counted.length - 1) * within
  return within / ((seen - byChance) / (all.length - sumOf(counted.map(({ length }) => length ** 2)) / all.length))
}
