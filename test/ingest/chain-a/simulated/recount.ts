/** The burst rules in plain loops over a simulated span, written from the specification and sharing nothing with the processors. */
import type { TokenFact } from '../../../../ingest/chain-a/types.ts'
import type { Tier } from '../../../../schemas/chain-a/derived.ts'
import type { PoolCreated, Swap } from '../../../../schemas/chain-a/facts.ts'

export type Fired = Readonly<{ pool: string; tier: Tier; atMs: number }>

const delaysRefire: Readonly<Record<Tier, boolean>> = { main: true, lite: false, refire: true, old: true }

type Tape = { created: PoolCreated; swaps: Swap[]; fired: Fired[] }

const hourMs = 3_600_000
const etherWei = 10n ** 18n

/** Every burst of the span, in the order of their pools. Looks at each block of each pool that holds a swap. */
export function recountBursts(facts: readonly TokenFact[]): readonly Fired[] {
  const tapes = new Map<string, Tape>()
  for (const { fact } of facts) {
    if (fact.type === 'PoolCreated') tapes.set(fact.data.pool, { created: fact.data, swaps: [], fired: [] })
    if (!('pool' in fact.data)) continue
    const tape = tapes.get(fact.data.pool)
    if (fact.type !== 'Swap' || tape === undefined) continue
    const doesCount = fact.data.ethWei !== 0n && fact.data.sender !== tape.created.hooks
    if (doesCount) tape.swaps.push(fact.data)
  }
  for (const tape of tapes.values()) recountPool(tape)
  return [...tapes.values()].flatMap((tape) => tape.fired)
}

function recountPool({ created, swaps, fired }: Tape): void {
  let first = 0
  for (const [index, { pool, blockAtMs: atMs, blockNumber }] of swaps.entries()) {
    if (swaps[index + 1]?.blockNumber === blockNumber) continue
    while (swaps[first]!.blockAtMs <= atMs - 60_000) first++
    const window = swaps.slice(first, index + 1)
    const late = window.filter((swap) => swap.blockAtMs > atMs - 15_000)
    const ageMs = atMs - created.blockAtMs
    const isStillBuying = late.some((swap) => swap.ethWei > 0n) && netOf(late) > 0n
    if (ageMs < 300_000) continue
    const buys = window.filter((swap) => swap.ethWei > 0n).length
    const isMainSize = isStillBuying && netOf(window) >= etherWei && buys >= 12
    const isLiteSize = netOf(window) >= etherWei / 2n && buys >= 8
    for (const tier of tiersFiring({ isMainSize, isLiteSize, ageMs, atMs, fired })) fired.push({ pool, tier, atMs })
  }
}

function tiersFiring(seen: {
  isMainSize: boolean
  isLiteSize: boolean
  ageMs: number
  atMs: number
  fired: readonly Fired[]
}): readonly Fired['tier'][] {
  const { isMainSize, isLiteSize, ageMs, atMs, fired } = seen
  const tiers: Fired['tier'][] = []
  const last = fired.findLast((burst) => delaysRefire[burst.tier])
  const isYoung = ageMs <= 6 * hourMs
  if (isYoung && isLiteSize && !fired.some(({ tier }) => tier === 'lite')) tiers.push('lite')
  if (!isMainSize || ageMs > 24 * hourMs) return tiers
  if (last === undefined) tiers.push(isYoung ? 'main' : 'old')
  else if (atMs - last.atMs >= 1_800_000) tiers.push('refire')
  return tiers
}

const netOf = (swaps: readonly Swap[]): bigint => swaps.reduce((sum, swap) => sum + swap.ethWei, 0n)
