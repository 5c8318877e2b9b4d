import { deepestOf, type MarketStep, rememberSteps, stepsAt } from '../simulated/market/steps.ts'
import { type FoundPrice, noPrice, type PriceSource } from './price-source.ts'

/**
 * `isReadWhereItGoesOn`: after the curve of a token is completed, the token's price is read from the pool
 * that follows the curve. By default, a completed curve has no price.
 */
type SimulatedPricesOptions = Readonly<{ isReadWhereItGoesOn?: boolean }>

const hourSec = 3600
const stepsMax = 60_000
const endsMax = 10_000

/**
 * Creates a price source for simulated trades. It has past prices and returns the price at `atMs`. With a
 * `market`, it returns the price that the chain's node would give. Otherwise it returns the price of the
 * market with the most liquidity, as an aggregator would. `playedOf` returns all simulated steps of a token,
 * or null if no such token exists. The last steps of tokens without further trades are cached, because
 * lookups of their prices continue for two days.
 */
export function createSimulatedPrices(
  playedOf: (token: string) => readonly MarketStep[] | null,
  { isReadWhereItGoesOn = false }: SimulatedPricesOptions = {},
): PriceSource {
  const stepsOf = rememberSteps(playedOf, stepsMax)
  const ends = new Map<string, readonly MarketStep[]>()
  return async ({ token, market, atMs }) => {
    const atSec = atMs / 1000
    const end = ends.get(token)
    const isOver = end?.every(({ second }) => second <= atSec - hourSec) ?? false
    const steps = (isOver ? end : stepsOf(token)) ?? []
    const last = steps.at(-1)
    if (!isOver && last && last.second <= atSec - hourSec) remember(ends, token, stepsAt(steps, atSec))
    const current = stepsAt(steps, atSec)
    if (current.length === 0) throw noPrice('there is no such token')
    if (market === null) return ofDeepest(current, stepsAt(steps, atSec - hourSec))
    return ofMarket(current.find((step) => step.market === market || (isReadWhereItGoesOn && step.of === market)))
  }
}

function ofDeepest(current: readonly MarketStep[], before: readonly MarketStep[]): FoundPrice {
  const now = deepestOf(current)
  const earlier = before.find(({ of }) => of === now?.of)?.px ?? null
  if (now === null || now.px === null) throw noPrice('the pool is empty')
  return found(now, earlier === null ? null : now.px / earlier - 1)
}

function ofMarket(now: MarketStep | undefined): FoundPrice {
  if (now === undefined) throw noPrice('there is no such market now')
  return found(now, null)
}

function found({ px, source }: MarketStep, change1h: number | null): FoundPrice {
  if (px === null) throw noPrice('the pool is empty')
  return { px, source, mcapUsd: null, change1h }
}

function remember(ends: Map<string, readonly MarketStep[]>, token: string, end: readonly MarketStep[]): void {
  ends.set(token, end)
  const [oldest] = ends.keys()
  if (ends.size > endsMax && oldest !== undefined) ends.delete(oldest)
}
