import { type FoundPrice, noPrice, type PriceSource } from './price-source.ts'

/** The price from an instant on. `px` null: nothing can be traded. */
export type PriceStep = Readonly<{ atMs: number; px: number | null; source: 'curve' | 'pool' }>

const hourMs = 3_600_000
const rememberedMax = 10_000

/**
 * Prices of a simulated market, which knows its past: they are those of the question’s instant. `stepsOf` gives all steps of a
 * token in time order; null: the market has no such token by then. The last step of a token that is asked for after it is
 * remembered, because most of those who ask do so for two days.
 */
export function createSimulatedPrices(
  stepsOf: (token: string, atMs: number) => Iterable<PriceStep> | null,
): PriceSource {
  const lastSteps = new Map<string, PriceStep>()
  return async ({ token, atMs }) => {
    const last = lastSteps.get(token)
    if (last && last.atMs <= atMs - hourMs) return found(last, last.px)
    const { now, before, isOver } = walk(stepsOf(token, atMs) ?? [], atMs)
    if (now === null) throw noPrice('there is no such token')
    if (isOver) remember(lastSteps, token, now)
    return found(now, before?.px ?? null)
  }
}

/** The steps in force at the instant and an hour before it. `isOver`: no step comes after. */
function walk(steps: Iterable<PriceStep>, atMs: number) {
  let [now, before]: [PriceStep | null, PriceStep | null] = [null, null]
  for (const step of steps) {
    if (step.atMs > atMs) return { now, before, isOver: false }
    if (step.atMs <= atMs - hourMs) before = step
    now = step
  }
  return { now, before, isOver: true }
}

function found({ px, source }: PriceStep, beforePx: number | null): FoundPrice {
  if (px === null) throw noPrice('the pool is empty')
  return { px, source, mcapUsd: null, change1h: beforePx === null ? null : px / beforePx - 1 }
}

function remember(steps: Map<string, PriceStep>, token: string, step: PriceStep): void {
  steps.set(token, step)
  const [oldest] = steps.keys()
  if (steps.size > rememberedMax && oldest !== undefined) steps.delete(oldest)
}
