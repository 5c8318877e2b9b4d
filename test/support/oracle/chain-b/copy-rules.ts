/** Lists the rules of copy trading as numbers. Tests can change them. */
const minuteMs = 60_000

export type CopyRules = Readonly<{
  followedLeast: bigint
  bigLeast: bigint
  hourMs: number
  afterCompletionMs: number
  hit: number
  miss: number
  pathSec: readonly number[]
  stakeLamports: bigint
  fillAfterSlots: number
  stop: number
  trailFrom: number
  trail: number
  takeProfit: number
  timeStopMs: number
  /** Whether the copy pays fees. */
  hasFees: boolean
  replaysMost: number
  cap: number
  shrink: number
  replaysLeast: number
  quickSec: number
}>

export const copyRules: CopyRules = {
  followedLeast: 200_000_000n,
  bigLeast: 1_000_000_000n,
  hourMs: 60 * minuteMs,
  afterCompletionMs: 5 * minuteMs,
  hit: 1.35,
  miss: 0.8,
  pathSec: [10, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600],
  stakeLamports: 250_000_000n,
  fillAfterSlots: 1,
  stop: 0.8,
  trailFrom: 1.35,
  trail: 0.8,
  takeProfit: 2,
  timeStopMs: 30 * minuteMs,
  hasFees: true,
  replaysMost: 60,
  cap: 1,
  shrink: 10,
  replaysLeast: 5,
  quickSec: 60,
}
