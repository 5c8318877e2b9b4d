/** The bursts of a mint: each slot that holds a trade of its curve is judged, and every threshold is looked at anew. */
import type { CurveTrade, MintStory } from './known.ts'
import type { Rules } from './rules.ts'

const forSaleRaw = 793_100_000_000_000n

export type OracleBurst = Readonly<{
  mint: string
  slot: number
  atMs: number
  inflowLamports: bigint
  fillFrom: number
  fillAt: number
  ageMs: number
  /** The window's, in order. */
  buys: readonly CurveTrade[]
  /** The last trade of the signal slot. */
  signalTrade: CurveTrade
}>

export const fillOf = (realTokenRaw: bigint): number => 1 - Number(realTokenRaw) / Number(forSaleRaw)

export function burstsOf(story: MintStory, rules: Rules): readonly OracleBurst[] {
  const bursts: OracleBurst[] = []
  const slots = [...new Set(story.trades.map(({ blockNumber }) => blockNumber))]
  for (const slot of slots) {
    const last = bursts.at(-1)
    const burst = burstAt(story, slot, rules)
    // Until its outcome is known a burst is the only one: the curve is not complete, so that is when its time is over.
    if (burst !== null && (last === undefined || burst.atMs > last.atMs + rules.scoredAfterMs)) bursts.push(burst)
  }
  return bursts
}

const sum = (trades: readonly CurveTrade[]): bigint => trades.reduce((total, { quoteRaw }) => total + quoteRaw, 0n)

function burstAt(story: MintStory, slot: number, rules: Rules): OracleBurst | null {
  const { mint, origin, completion } = story
  const signalTrade = story.trades.findLast(({ blockNumber }) => blockNumber === slot)
  if (signalTrade === undefined || origin.quoteMint !== null) return null
  if (completion !== null && completion.slot <= slot) return null
  if (origin.launchAtMs === null) return null
  const atMs = signalTrade.blockAtMs
  const ageMs = atMs - origin.launchAtMs
  if (!rules.atLeast(ageMs, rules.ageLeastMs) || !rules.atLeast(rules.ageMostMs, ageMs)) return null
  const soldTimes100 = (forSaleRaw - signalTrade.realTokenRaw) * 100n
  if (!rules.atLeast(soldTimes100, rules.fillLeastPercent * forSaleRaw)) return null
  if (!rules.atLeast(rules.fillMostPercent * forSaleRaw, soldTimes100)) return null
  const within = (windowMs: number) =>
    story.trades.filter(
      ({ blockNumber, blockAtMs }) => blockNumber <= slot && rules.isInWindow(atMs - blockAtMs, windowMs),
    )
  const window = within(rules.windowMs)
  const inflowLamports = sum(window)
  if (!rules.atLeast(inflowLamports, rules.inflowLeast)) return null
  if (rules.needsRecentBuy && !isStillBuying(within(rules.recentMs))) return null
  const first = window[0] ?? signalTrade
  return {
    ...{ mint, slot, atMs, inflowLamports, ageMs, signalTrade },
    fillFrom: fillOf(first.realTokenRaw + first.tokenRaw),
    fillAt: fillOf(signalTrade.realTokenRaw),
    buys: window.filter(({ quoteRaw }) => quoteRaw > 0n),
  }
}

const isStillBuying = (recent: readonly CurveTrade[]): boolean =>
  recent.some(({ quoteRaw }) => quoteRaw > 0n) && sum(recent) > 0n
