/** The standard normal distribution, with an error of about 1e-12. Answers show probabilities with six digits. */

/**
 * Returns the share of the distribution below x. It uses the series of the error function near 0, and a continued fraction for larger |x|.
 */
export function normalCdf(x: number): number {
  const z = Math.abs(x) / Math.SQRT2
  const tail = z < 2.5 ? 1 - erfSeries(z) : erfcFraction(z)
  return x >= 0 ? 1 - tail / 2 : tail / 2
}

const twoOverRootPi = 2 / Math.sqrt(Math.PI)

function erfSeries(z: number): number {
  let term = z
  let sum = z
  for (let n = 1; Math.abs(term) > 1e-17; n++) {
    term *= -(z * z) / n
    sum += term / (2 * n + 1)
  }
  return twoOverRootPi * sum
}

function erfcFraction(z: number): number {
  let fraction = z
  for (let n = 60; n >= 1; n--) fraction = z + n / 2 / fraction
  return Math.exp(-z * z) / (fraction * Math.sqrt(Math.PI))
}

/**
 * Returns the number below which the given share of the standard normal distribution lies. `share` is above 0
 * and below 1. Bisection is fast enough, because an answer needs few quantiles.
 */
export function normalQuantile(share: number): number {
  let [low, high] = [-40, 40]
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (normalCdf(middle) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}
