/**
 * Computes the outcome of a burst. Each exit rule is applied separately to the pool's swaps after the signal.
 */
import type { OracleBurst } from './bursts.ts'
import type { OracleSwap } from './events.ts'
import type { ExitRule, OracleRules } from './oracle-rules.ts'
import type { World } from './ownership.ts'
import { findRug, type OracleRug } from './rugs.ts'

export type OracleExit = Readonly<{ ret: number; why: string; sec: number | null }>

export type OracleOutcome = Readonly<{
  ret30m: number
  peakRet: number
  ruleRet: number
  byRule: Readonly<Record<string, OracleExit>>
  rug: Readonly<{ atSec: number; lpRemoved: number }> | null
}>

/**
 * Computes the outcome. It uses the swaps after the signal block, up to and including the end of the window.
 * If there is a rug, the swaps end there.
 */
export function scoreBurst(burst: OracleBurst, world: World, rules: OracleRules): OracleOutcome {
  const endAtMs = burst.at + rules.scoredAfterMs
  const rug = findRug(world, burst, rules)
  const isIn = (swap: OracleSwap) => rug === null || swap.order < rug.order || swap.tx === rug.tx
  const after = world.events.swaps.filter(
    (swap) => swap.pool === burst.pool && swap.block > burst.block && swap.atMs <= endAtMs && isIn(swap),
  )
  const toReturn = (px: number) => px / burst.px - 1 - rules.cost
  const byRule: Record<string, OracleExit> = {}
  for (const [name, rule] of Object.entries(rules.exits)) {
    const { px, why, sec } = walk({ burst, after, endAtMs, rug }, rule, rules)
    byRule[name] = { ret: toReturn(px), why, sec }
  }
  return {
    ret30m: toReturn(rug === null ? (after.at(-1)?.px ?? burst.px) : 0),
    peakRet: toReturn(Math.max(burst.px, ...after.map((swap) => swap.px))),
    ruleRet: byRule.live?.ret ?? Number.NaN,
    byRule,
    rug: rug && { atSec: secondsBetween(burst.at, rug.atMs), lpRemoved: rug.lpRemoved },
  }
}

const secondsBetween = (fromMs: number, toMs: number): number => Math.floor((toMs - fromMs) / 1000)

type Story = Readonly<{ burst: OracleBurst; after: readonly OracleSwap[]; endAtMs: number; rug: OracleRug | null }>
type Exit = Readonly<{ px: number; why: string; sec: number | null }>

type Position = { last: number; high: number; highAtMs: number; net: bigint; mark: bigint }

function walk({ burst, after, endAtMs, rug }: Story, rule: ExitRule, rules: OracleRules): Exit {
  const position: Position = { last: burst.px, high: burst.px, highAtMs: burst.at, net: 0n, mark: 0n }
  for (const swap of after) {
    const due = deadline(position, burst.at, rule)
    if (due !== null && due.atMs < swap.atMs) return timedExit(position, burst.at, due)
    follow(position, swap, rules)
    const why = reasonAt(position, burst.px, { rule, stop: rules.stop })
    if (why !== null) return { px: swap.px, why, sec: secondsBetween(burst.at, swap.atMs) }
  }
  const due = deadline(position, burst.at, rule)
  if (rug !== null) {
    if (due !== null && due.atMs < rug.atMs) return timedExit(position, burst.at, due)
    const isHold = Object.keys(rule).length === 0
    return { px: 0, why: isHold ? 'held+rug' : 'rug', sec: secondsBetween(burst.at, rug.atMs) }
  }
  if (due !== null && due.atMs <= endAtMs) return timedExit(position, burst.at, due)
  return { px: position.last, why: 'held', sec: null }
}

function follow(position: Position, swap: OracleSwap, rules: OracleRules): void {
  position.last = swap.px
  position.net += swap.ethWei * BigInt(rules.buySign)
  if (position.net > position.mark) position.mark = position.net
  if (swap.px <= position.high) return
  position.high = swap.px
  position.highAtMs = swap.atMs
}

function reasonAt(
  position: Position,
  signalPx: number,
  { rule, stop }: Readonly<{ rule: ExitRule; stop: number }>,
): string | null {
  if (position.last <= signalPx * (1 + stop)) return 'stop'
  if (rule.fadeWei !== undefined && position.mark - position.net >= rule.fadeWei) return 'burst-fade'
  if (rule.takeProfit !== undefined && position.last >= signalPx * (1 + rule.takeProfit)) return 'take-profit'
  if (rule.trail !== undefined && position.last <= position.high * (1 - rule.trail)) return 'trail'
  return null
}

type Deadline = Readonly<{ atMs: number; why: string }>

function deadline(position: Position, signalAtMs: number, rule: ExitRule): Deadline | null {
  if (rule.stallMs !== undefined) return { atMs: position.highAtMs + rule.stallMs, why: 'burst-stall' }
  if (rule.timeMs !== undefined) return { atMs: signalAtMs + rule.timeMs, why: 'time' }
  return null
}

const timedExit = (position: Position, signalAtMs: number, due: Deadline): Exit => ({
  px: position.last,
  why: due.why,
  sec: secondsBetween(signalAtMs, due.atMs),
})
