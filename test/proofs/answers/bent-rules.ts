/** Rules that are a little other than they should be. With each of them the oracle must find other rows than the routes sell. */
import { type Rules, rules } from '../../support/answers-oracle/chain-b/rules.ts'

export type BentRules = Readonly<{ name: string; rules: Rules }>

const bent = (name: string, changed: Partial<Rules>): BentRules => ({ name, rules: { ...rules, ...changed } })

const quotientOfSol: Rules['standardPrice'] = ({ virtualQuoteRaw }) => Number(virtualQuoteRaw)
const realSolSquared: Rules['standardPrice'] = ({ realQuoteRaw }) => Number(realQuoteRaw) ** 2

export const bentRules: readonly BentRules[] = [
  bent('a window of 59 s', { windowMs: 59_000 }),
  bent('a window with its first instant', { isInWindow: (ageMs, windowMs) => ageMs <= windowMs }),
  bent('an inflow of 10.1 SOL', { inflowLeast: 10_100_000_000n }),
  bent('an inflow of a lamport more', { inflowLeast: 10_000_000_001n }),
  bent('the last 14 s', { recentMs: 14_000 }),
  bent('no buying in the last 15 s', { needsRecentBuy: false }),
  bent('an age of a second less', { ageLeastMs: 299_000 }),
  bent('an age of a second more', { ageMostMs: 14_401_000 }),
  bent('from 24 %', { fillLeastPercent: 24n }),
  bent('to 56 %', { fillMostPercent: 56n }),
  bent('strict bounds', { atLeast: (one, other) => one > other }),
  bent('scored after 19 min', { scoredAfterMs: 1_140_000 }),
  bent('an outcome without its last instant', { isInOutcome: (afterMs, scoredAfterMs) => afterMs < scoredAfterMs }),
  bent('a price linear in SOL', { standardPrice: quotientOfSol }),
  bent('a price of the real SOL', { standardPrice: realSolSquared }),
  bent('costs of 2.4 %', { cost: 0.024 }),
  bent('a stop at -16 %', { stop: 0.84 }),
  bent('a live rule of 4.9 SOL', { liveDropLamports: 4_900_000_000n }),
  bent('a fade of 2.1 SOL', { fadeDropLamports: 2_100_000_000n }),
  bent('a stall of 59 s', { stallMs: 59_000 }),
  bent('profits of 51 % and 101 %', { takeProfits: [1.51, 2.01] }),
  bent('a trail of 19 %', { trail: 0.81 }),
  bent('times of a second less', { timesMs: [299_000, 599_000] }),
  bent('an anatomy a second later', { anatomyAfterMs: 6_000 }),
  bent('the curve a holder', { leavesOutCurve: false }),
  bent('eleven holders', { topHolders: 11 }),
  bent('returns after 1, 5 and 14 min', { postMinutes: [1, 5, 14] }),
  bent('returns before their instant', { isAtMark: (afterMarkMs) => afterMarkMs < 0 }),
  bent('a path of 59 min', { pathMinutes: 59 }),
  bent('a look-back with its first instant', { isInLookBack: (ageMs, lookBackMs) => ageMs <= lookBackMs }),
]
