/**
 * Lists changed rules with one deliberate error each. With the error, the results for the scripted pool
 * `shownBy` must change.
 */
import { exitRules, type OracleRules, oracleRules } from './oracle-rules.ts'

export type Mutation = Readonly<{ name: string; shownBy: string; rules: OracleRules }>

const minuteMs = 60_000

const bent = (name: string, shownBy: string, change: Partial<OracleRules>): Mutation => ({
  name,
  shownBy,
  rules: { ...oracleRules, ...change },
})

export const mutations: readonly Mutation[] = [
  bent('a window of 61 s', 'edge', { windowMs: 61_000 }),
  bent('a window that includes its first instant', 'edge', { windowIncludesStart: true }),
  bent('main at 11 buys', 'eleven', { mainBuys: 11 }),
  bent('main at 0.9999 ETH', 'just short', { mainInflowWei: 9999n * 10n ** 14n }),
  bent('lite at 7 buys', 'seven', { liteBuys: 7 }),
  bent('thresholds that must be exceeded', 'exactly one', { thresholdsAreStrict: true }),
  bent('buys read as sells', 'exactly one', { buySign: -1 }),
  bent('bursts after the buying has stopped', 'silent', { stillBuyingMs: null }),
  bent('pools from 4 min of age', 'too young', { ageMsMin: 4 * minuteMs }),
  bent('pools young for a second longer', 'six hours and a second', { youngAgeMsMax: 360 * minuteMs + 1000 }),
  bent('again after 29 min', 'again', { refireAfterMs: 29 * minuteMs }),
  bent('the deviation of a sample', 'whales', { deviation: 'sample' }),
  bent('returns without the cost', 'quiet', { cost: 0 }),
  bent('a stop at -14 %', 'stop', { stop: -0.14 }),
  bent('a fade of 0.4 ETH', 'fade', { exits: exitRules({ fadeWei: 4n * 10n ** 17n }) }),
  bent('a stall after 59 s', 'stall', { exits: exitRules({ stallMs: 59_000 }) }),
  bent('a score after 29 min', 'held', { scoredAfterMs: 29 * minuteMs }),
  bent('swaps of the pool’s own hook', 'own hook', { ownHookCounts: true }),
  bent('prices at the limit', 'thin', { limitPricesCount: true }),
]
