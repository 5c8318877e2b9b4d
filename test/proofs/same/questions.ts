/** The paid routes in turn, with random parameters. */
import { callerSorts } from '../../../api/calls/ranking.ts'
import { tiers } from '../../../schemas/chain-a/derived.ts'
import { createRandom } from '../../support/chain-a-node/random.ts'

/** The items that the service has listed so far. */
export type Listed = {
  pools: readonly string[]
  tokens: readonly string[]
  /** The tokens on a curve, or in the pool of a graduated curve. */
  curveTokens: readonly string[]
  /** The leaders of chain B. */
  wallets: readonly string[]
  /** The mints of bursts on chain B. */
  mints: readonly string[]
}

/**
 * Returns the wallets in a list of leaders. Null if the body is a different answer. In a precall, `wallets`
 * is a number.
 */
export function walletsIn(body: string): readonly string[] | null {
  const { wallets } = JSON.parse(body) as Readonly<{ wallets?: number | readonly Readonly<{ wallet: string }>[] }>
  return typeof wallets === 'object' ? (wallets?.map(({ wallet }) => wallet) ?? null) : null
}

/** Returns the mints in a list of bursts of chain B. Null if the body is a different answer. */
export const mintsIn = (body: string): readonly string[] | null => {
  const { bursts } = JSON.parse(body) as Readonly<{ bursts?: readonly Readonly<{ mint?: string }>[] }>
  const mints = bursts?.flatMap(({ mint }) => mint ?? []) ?? []
  return mints.length > 0 ? mints : null
}

type OneOf = (values: readonly (string | number)[]) => string | number
type Question = (oneOf: OneOf, listed: Listed) => string

const tierChoices = [...tiers, 'all']
const lps = ['all', 'safe', 'held']
const minutes = [1, 5, 20.5, 60, 240]
const hours = [1, 2.5, 6, 24]
const limits = [1, 3, 25]

const questions: readonly Question[] = [
  (oneOf) => `/v1/rh/bursts/live?minutes=${oneOf(minutes)}&tier=${oneOf(tierChoices)}&lp=${oneOf(lps)}`,
  (oneOf) => `/v1/rh/bursts/history?hours=${oneOf(hours)}&tier=${oneOf(tierChoices)}&lp=${oneOf(lps)}`,
  (oneOf) => `/v1/rh/pools/new?hours=${oneOf(hours)}&limit=${oneOf([...limits, 200, 1000])}`,
  (oneOf, { pools }) => `/v1/rh/pools/${oneOf(pools)}/flow`,
  (oneOf, { tokens, curveTokens }) => {
    const isOnCurve = oneOf([0, 1]) === 1 && curveTokens.length > 0
    return `/v1/rh/token/${oneOf(isOnCurve ? curveTokens : tokens)}/rugcheck`
  },
  (oneOf, { tokens, curveTokens }) => `/v1/rh/token/${oneOf([...tokens, ...curveTokens])}/verdict`,
  (oneOf) => `/v1/rh/crews?minBursts=${oneOf([3, 4, 6, 10])}&limit=${oneOf(limits)}`,
  (oneOf) => `/v1/sol/bursts/live?minutes=${oneOf(minutes)}`,
  (oneOf) => `/v1/sol/bursts/history?hours=${oneOf(hours)}`,
  (oneOf) => `/v1/sol/grads/live?minutes=${oneOf(minutes)}`,
  (oneOf) => `/v1/sol/grads/history?hours=${oneOf([...hours, 48])}&limit=${oneOf([...limits, 500, 2000])}`,
  (oneOf) => `/v1/sol/wallets/leaders?limit=${oneOf([...limits, 50])}`,
  (oneOf, { wallets }) => `/v1/sol/wallets/${oneOf(wallets)}/copy-stats`,
  (oneOf, { mints }) => `/v1/sol/token/${oneOf(mints)}/verdict`,
  (oneOf) => `/v1/sol/calls/live?minutes=${oneOf([1, 30, 120])}`,
  (oneOf) => `/v1/sol/calls/outcomes?hours=${oneOf([1, 6, 48])}&limit=${oneOf([...limits, 2000])}`,
  (oneOf) =>
    `/v1/sol/callers/leaderboard?window=${oneOf(['24h', '7d', '30d'])}&sort=${oneOf(callerSorts)}&limit=${oneOf([...limits, 200])}`,
  (oneOf, { tokens, mints }) => `/v1/scanner/${oneOf([...tokens, ...mints])}`,
  (oneOf, { tokens }) => `/v1/rh/token/${oneOf(tokens)}/precall`,
  (oneOf) => `/v1/snapshot?minutes=${oneOf(minutes)}`,
  (oneOf) =>
    `/v1/desk/trades?since=${oneOf(['2026-01-01', 0])}&book=${oneOf(['main', 'explore', 'all'])}&limit=${oneOf([...limits, 3000])}`,
]

/** Returns the next path at each call. The same seed and lists give the same paths. */
export function drawPaths(seed: number, listed: Listed): () => string {
  const random = createRandom(seed)
  const oneOf: OneOf = (values) => values[Math.floor(random() * values.length)] ?? ''
  let index = 0
  return () => (questions[index++ % questions.length] as Question)(oneOf, listed)
}
