/** The Beta distribution. Its quantiles are the bounds of a proportion that was estimated from counts. */
import assert from 'node:assert/strict'

/** Coefficients of Lanczos’ approximation for g = 7. */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const

function logGamma(value: number): number {
  const x = value - 1
  const t = x + 7.5
  let sum: number = lanczos[0]
  for (const [index, coefficient] of lanczos.entries()) if (index > 0) sum += coefficient / (x + index)
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum)
}

const smallest = 1e-300
const termsMax = 500

/** The continued fraction of the incomplete beta function, by Lentz’ method. It converges fast for x below the mean. */
function fraction(x: number, alpha: number, beta: number): number {
  const away = (value: number) => (Math.abs(value) < smallest ? smallest : value)
  let c = 1
  let d = 1 / away(1 - ((alpha + beta) * x) / (alpha + 1))
  let result = d
  for (let term = 1; term <= termsMax; term++) {
    const even = (term * (beta - term) * x) / ((alpha + 2 * term - 1) * (alpha + 2 * term))
    const odd = (-(alpha + term) * (alpha + beta + term) * x) / ((alpha + 2 * term) * (alpha + 2 * term + 1))
    let step = 1
    for (const part of [even, odd]) {
      d = 1 / away(1 + part * d)
      c = away(1 + part / c)
      step = c * d
      result *= step
    }
    if (Math.abs(step - 1) < 1e-14) break
  }
  return result
}

const logDensity = (x: number, alpha: number, beta: number): number =>
  (alpha - 1) * Math.log(x) + (beta - 1) * Math.log1p(-x) + logGamma(alpha + beta) - logGamma(alpha) - logGamma(beta)

/** Returns the probability, from 0 to 1, that a value of the Beta distribution is at most `x`. */
export function betaBelow(x: number, alpha: number, beta: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logDensity(x, alpha, beta)) * x * (1 - x)
  return x < (alpha + 1) / (alpha + beta + 2)
    ? (front * fraction(x, alpha, beta)) / alpha
    : 1 - (front * fraction(1 - x, beta, alpha)) / beta
}

/** The maximum number of steps. After 60 halvings an interval of length 1 is below the precision of a double. */
const stepsMax = 60
const closeEnough = 1e-15

/**
 * Returns the quantile for the probability: a value of the distribution is at most the result with this
 * probability. `alpha` and `beta` must be positive.
 */
export function betaQuantile(probability: number, alpha: number, beta: number): number {
  assert(
    alpha > 0 && beta > 0 && probability > 0 && probability < 1,
    `there is no ${probability} quantile of Beta(${alpha}, ${beta})`,
  )
  let [low, high] = [0, 1]
  let x = alpha / (alpha + beta)
  for (let step = 0; step < stepsMax && high - low > closeEnough * high; step++) {
    const excess = betaBelow(x, alpha, beta) - probability
    if (excess < 0) low = x
    else high = x
    const newton = x - excess / Math.exp(logDensity(x, alpha, beta))
    const next = newton > low && newton < high ? newton : (low + high) / 2
    if (Math.abs(next - x) <= closeEnough * x) return next
    x = next
  }
  return x
}
