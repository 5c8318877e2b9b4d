/** What a call costs, in whole micro-dollars (10_000 is one cent), by route pattern. The one place where a price stands. */
export const pricesUsdMicros = {
  'GET /v1/rh/bursts/live': 10_000,
  'GET /v1/rh/bursts/history': 20_000,
  'GET /v1/rh/pools/new': 5_000,
  'GET /v1/rh/pools/{id}/flow': 5_000,
  'GET /v1/rh/token/{addr}/rugcheck': 20_000,
  'GET /v1/rh/crews': 20_000,
  'GET /v1/rh/token/{addr}/precall': 20_000,
  'GET /v1/rh/token/{addr}/verdict': 30_000,
  'GET /v1/sol/bursts/live': 10_000,
  'GET /v1/sol/bursts/history': 20_000,
  'GET /v1/sol/wallets/leaders': 50_000,
  'GET /v1/sol/wallets/{addr}/copy-stats': 10_000,
  'GET /v1/sol/callers/leaderboard': 50_000,
  'GET /v1/sol/calls/outcomes': 50_000,
  'GET /v1/sol/calls/live': 20_000,
  'GET /v1/sol/grads/live': 10_000,
  'GET /v1/sol/grads/history': 20_000,
  'GET /v1/sol/token/{mint}/verdict': 20_000,
  'GET /v1/scanner/{mint}': 10_000,
  'GET /v1/snapshot': 30_000,
  'GET /v1/desk/trades': 10_000,
  'GET /v1/stream/pass': 500_000,
} as const

export type PaidRouteId = keyof typeof pricesUsdMicros

/** A price as people read it: `0.005`, `0.01`, `0.50`. */
export function formatUsd(usdMicros: number): string {
  const [whole, fraction = ''] = (usdMicros / 1_000_000).toString().split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
