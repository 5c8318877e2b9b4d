/**
 * The expected outputs of the benchmark job, computed by brute force. For every swap of every pool, both time
 * windows are summed again. This file shares no code with the job.
 */
import type { PeerOutput } from './job.ts'
import type { PeerSwap } from './swap-record.ts'

type Seen = Readonly<{ atMs: number; wei: bigint; price: number; createdAtMs: number }>

const minuteMs = 60_000
const rules = [
  { tier: 'main', wei: 1_000_000_000_000_000_000n, buys: 12 },
  { tier: 'lite', wei: 500_000_000_000_000_000n, buys: 8 },
] as const

/**
 * `swaps` are in order of event time. A score is expected only if the last tick is later than the time of the
 * score.
 */
export function expectedOutputs(swaps: Iterable<PeerSwap>, lastTickAtMs: number): PeerOutput[] {
  const pools = new Map<string, Seen[]>()
  for (const { pool, buy, ethWei, tokenRaw, eventAtMs, poolCreatedAtMs } of swaps) {
    const seen = pools.get(pool) ?? []
    pools.set(pool, seen)
    const price = Number(ethWei) / tokenRaw
    seen.push({ atMs: eventAtMs, wei: buy ? ethWei : -ethWei, price, createdAtMs: poolCreatedAtMs })
  }
  return [...pools].flatMap(([pool, seen]) => rules.flatMap((rule) => outputsOf(pool, seen, { rule, lastTickAtMs })))
}

function outputsOf(
  pool: string,
  seen: readonly Seen[],
  { rule, lastTickAtMs }: Readonly<{ rule: (typeof rules)[number]; lastTickAtMs: number }>,
): PeerOutput[] {
  const { tier } = rule
  for (const [index, { atMs, price, createdAtMs }] of seen.entries()) {
    const age = atMs - createdAtMs
    if (age < 5 * minuteMs || age > 360 * minuteMs) continue
    const quarter = sumsBack(seen, index, minuteMs / 4)
    if (quarter.buys < 1 || quarter.wei <= 0n) continue
    const { wei, buys } = sumsBack(seen, index, minuteMs)
    if (wei < rule.wei || buys < rule.buys) continue
    const fire: PeerOutput = { k: 'fire', tier, pool, at: atMs, net: String(wei), buys, price }
    const scoreAtMs = atMs + 30 * minuteMs
    if (lastTickAtMs <= scoreAtMs) return [fire]
    const prices = seen.slice(index).flatMap((its) => (its.atMs <= scoreAtMs ? [its.price] : []))
    const peak = prices.reduce((most, its) => Math.max(most, its)) / price - 1 - 0.02
    return [fire, { k: 'score', tier, pool, at: atMs, ret: (prices.at(-1) as number) / price - 1 - 0.02, peak }]
  }
  return []
}

function sumsBack(seen: readonly Seen[], index: number, spanMs: number): Readonly<{ wei: bigint; buys: number }> {
  let wei = 0n
  let buys = 0
  const afterMs = (seen[index] as Seen).atMs - spanMs
  for (let at = index; at >= 0 && (seen[at] as Seen).atMs > afterMs; at--) {
    const its = seen[at] as Seen
    wei += its.wei
    if (its.wei > 0n) buys += 1
  }
  return { wei, buys }
}
