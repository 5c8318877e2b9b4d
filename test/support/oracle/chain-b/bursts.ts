/** Finds the bursts of a mint. Each slot with a trade on the curve is checked against every threshold. */
import type { CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import type { Rules } from './rules.ts'
import type { MintStory } from './stories.ts'

const forSaleRaw = 793_100_000_000_000n

export type OracleBurst = Readonly<{
  mint: string
  slot: number
  atMs: number
  inflowLamports: bigint
  fillFrom: number
  fillAt: number
  ageMs: number
  /** The buys of the window, in order. */
  buys: readonly CurveTraded[]
  /** The last trade of the slot in which the signal fired. */
  signalTrade: CurveTraded
}>

export const fillOf = (realTokenRaw: bigint): number => 1 - Number(realTokenRaw) / Number(forSaleRaw)

export function burstsOf(story: MintStory, rules: Rules): readonly OracleBurst[] {
  const bursts: OracleBurst[] = []
  const slots = [...new Set(story.trades.map(({ blockNumber }) => blockNumber))]
  for (const slot of slots) {
    const burst = burstAt(story, slot, rules)
    if (burst === null) continue
    // While the outcome of a burst is unknown, its mint has no other burst. The curve is not complete here,
    // so the outcome is known as soon as its time is over.
    const isWaiting = ({ atMs }: OracleBurst) => burst.atMs <= atMs + rules.outcomeMs
    if (!rules.oneUnscoredAtATime || !bursts.some(isWaiting)) bursts.push(burst)
  }
  return bursts
}

export const sum = (trades: readonly CurveTraded[]): bigint =>
  trades.reduce((total, { quoteRaw }) => total + quoteRaw, 0n)

function burstAt(story: MintStory, slot: number, rules: Rules): OracleBurst | null {
  const { mint, opening, completion, launchAtMs } = story
  const signalTrade = story.trades.findLast(({ blockNumber }) => blockNumber === slot)
  if (signalTrade === undefined || opening.data.quoteMint !== null || launchAtMs === null) return null
  if (completion !== null && completion.slot <= slot) return null
  const atMs = signalTrade.blockAtMs
  const ageMs = atMs - launchAtMs
  if (!rules.atLeast(ageMs, rules.ageMsMin) || !rules.atLeast(rules.ageMsMax, ageMs)) return null
  const soldTimes100 = (forSaleRaw - signalTrade.realTokenRaw) * 100n
  if (!rules.atLeast(soldTimes100, rules.fillPercentMin * forSaleRaw)) return null
  if (!rules.atLeast(rules.fillPercentMax * forSaleRaw, soldTimes100)) return null
  const within = (windowMs: number) => tradesWithin(story.trades, { slot, atMs, windowMs }, rules)
  const window = within(rules.windowMs)
  const inflowLamports = sum(window)
  if (!rules.atLeast(inflowLamports, rules.inflowLamports)) return null
  if (rules.recentMs !== null && !isStillBuying(within(rules.recentMs))) return null
  return {
    ...{ mint, slot, atMs, inflowLamports, ageMs, signalTrade },
    fillFrom: fillOf(leftBefore(window[0] ?? signalTrade)),
    fillAt: fillOf(signalTrade.realTokenRaw),
    buys: window.filter(({ quoteRaw }) => quoteRaw > 0n),
  }
}

type Window = Readonly<{ slot: number; atMs: number; windowMs: number }>

export const tradesWithin = (
  trades: readonly CurveTraded[],
  { slot, atMs, windowMs }: Window,
  rules: Rules,
): readonly CurveTraded[] =>
  trades.filter(({ blockNumber, blockAtMs }) => blockNumber <= slot && rules.isInWindow(atMs - blockAtMs, windowMs))

/** Returns the number of tokens that were for sale before the trade. */
export const leftBefore = ({ realTokenRaw, tokenRaw }: CurveTraded): bigint => realTokenRaw + tokenRaw

const isStillBuying = (recent: readonly CurveTraded[]): boolean =>
  recent.some(({ quoteRaw }) => quoteRaw > 0n) && sum(recent) > 0n
