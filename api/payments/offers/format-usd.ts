/** Formats a price in dollars with at least two decimals: `0.005`, `0.01`, `0.50`. */
export function formatUsd(usdMicros: number): string {
  const [whole, fraction = ''] = (usdMicros / 1_000_000).toString().split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
