/**
 * The numbers of the rules for copy trading, used by processors, queries and API answers. `rules.ts`
 * describes these rules in words. All ratios are ratios of prices. A price that is exactly at a limit has
 * reached the limit.
 */

import { z } from 'zod'
import { defaultsOf, duration, part, real, refuseBy, type ValuesOf, whole, wholeWithin } from '../rule-values.ts'
import { type DurationMs, dayMs, hourMs, minuteMs } from '../units.ts'
import { lamportsPerSol } from './units.ts'

const lamportsMax = 1e6 * lamportsPerSol

/** The rules of followed buys: which buys of wallets are followed, and for how long. */
export const shadowSchema = part({
  lamportsMin: whole(0.2 * lamportsPerSol, [10_000, lamportsMax], 'a buy of at least this is followed, fees left out'),
  bigLamportsMin: whole(
    lamportsPerSol,
    [10_000, lamportsMax],
    'and one of at least this is replayed through the exit of the copy',
  ),
  windowMs: duration(hourMs, [minuteMs, hourMs], 'a buy is followed for this long'),
  hitRatio: real(1.35, [1, 1000], 'a hit reaches this ratio of the price of the buy'),
  missRatio: real(0.8, [0, 1], 'before it falls to this one'),
  pathSec: z
    .array(wholeWithin([1, 3600], 'seconds after the buy'))
    .min(1)
    .max(60)
    .describe('marks of the path; the last one is the end of windowMs')
    .default([10, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600]),
}).superRefine(
  refuseBy<Readonly<{ windowMs: DurationMs; pathSec: readonly number[] }>>([
    {
      at: ['pathSec'],
      refuses: ({ pathSec, windowMs }) =>
        pathSec.at(-1) === windowMs / 1000 &&
        pathSec.every((sec, index) => index === 0 || sec > (pathSec[index - 1] ?? 0))
          ? null
          : `the marks must be in rising order, and the last mark must be the end of windowMs, ${windowMs / 1000} s`,
    },
  ]),
)

/** The rules for the simulated copy of a buy: the stake without fees, and the exit. */
export const copySchema = part({
  stakeLamports: whole(0.25 * lamportsPerSol, [10_000, lamportsMax], 'what the copy spends, fees left out'),
  stopRatio: real(0.8, [0, 1], 'it stops at or below this ratio of the price before its fill'),
  trailFromRatio: real(1.35, [1, 1000], 'its trail is active once the highest price is at this ratio'),
  trailRatio: real(0.8, [0, 1], 'the trail leaves at or below this ratio of the highest price'),
  takeProfitRatio: real(2, [1, 1000], 'it takes the profit at or above this ratio'),
  timeStopMs: duration(30 * minuteMs, [1000, hourMs], 'it leaves this long after the buy of the leader'),
})

/**
 * The rules of the list of leaders (wallets worth copying). The list is computed from the newest big buys of
 * each wallet.
 */
export const leadersSchema = part({
  windowMs: duration(14 * dayMs, [dayMs, 35 * dayMs], 'buys are looked back for this long'),
  listMax: whole(50, [1, 500], 'most wallets on the list'),
  bigBuysMax: whole(60, [1, 1000], 'of each wallet so many buys count, the newest'),
  retMax: real(1, [0, 1000], 'a return counts as at most this in evRaw and evShrunk'),
  shrinkK: whole(10, [0, 1000], 'so many pseudo-buys have the pooled mean'),
  replaysMin: whole(5, [1, 1000], 'a wallet with fewer replayed buys is not on the list'),
  quickSaleSec: whole(60, [1, 3600], 'a sale within so many seconds of the buy is quick: soldWithin60sShare'),
})

export type ShadowRules = ValuesOf<typeof shadowSchema>
export type CopyRules = ValuesOf<typeof copySchema>
export const shadowRules = defaultsOf(shadowSchema)
export const copyRules = defaultsOf(copySchema)
export const leaderRules = defaultsOf(leadersSchema)

/** The maximum number of buys in the API answer about one wallet. */
export const listedBuysMax = 100
