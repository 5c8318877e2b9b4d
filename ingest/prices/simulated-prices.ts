import { deepestOf, type MarketStep, rememberSteps, standingAt } from '../simulated/market/steps.ts'
import { type FoundPrice, noPrice, type PriceSource } from './price-source.ts'

/** `isReadWhereItGoesOn`: the node of the chain reads a complete curve in its pool. Default: it says that there is no price. */
type SimulatedPricesOptions = Readonly<{ isReadWhereItGoesOn?: boolean }>

const hourSec = 3600
const stepsMax = 150_000
const endsMax = 10_000

/**
 * Prices of a simulated market, which knows its past: they are those of the question’s instant. Of a market that is named as its
 * node would tell it, else of the deepest one with the change of its last hour, as a provider tells it. `playedOf` gives
 * all steps of a token; null: there is no such token. How those ended that nobody trades any more is remembered, because most
 * of those who ask do so for two days.
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
    if (!isOver && last && last.second <= atSec - hourSec) remember(ends, token, standingAt(steps, atSec))
    const standing = standingAt(steps, atSec)
    if (standing.length === 0) throw noPrice('there is no such token')
    if (market === null) return ofDeepest(standing, standingAt(steps, atSec - hourSec))
    return ofMarket(standing.find((step) => step.market === market || (isReadWhereItGoesOn && step.of === market)))
  }
}

function ofDeepest(standing: readonly MarketStep[], before: readonly MarketStep[]): FoundPrice {
  const now = deepestOf(standing)
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
