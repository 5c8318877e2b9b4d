/** The numbers of the rules of chain A. `rules.ts` describes these rules in words. */

import { z } from 'zod'
import { exitsOf, refuseExits } from '../exits.ts'
import { defaultsOf, duration, part, real, realWithin, refuseBy, type ValuesOf, whole } from '../rule-values.ts'
import { either } from '../rule-words.ts'
import { hourMs, minuteMs, type Wei } from '../units.ts'
import { curveLifeMs } from './curve-life.ts'
import { chainADeskSchema } from './desk.ts'
import { poolLifeMs } from './pool-life.ts'
import { tiersBeforeRefire } from './tier-traits.ts'

const ethMin = 1e-9
const inflowEth = (value: number) => real(value, [ethMin, 1e6], 'least net inflow in the window, in ETH, to the gwei')
const buys = (value: number) => whole(value, [1, 10_000], 'fewest buy swaps in the window')

const bursts = part({
  windowMs: duration(minuteMs, [1000, hourMs], 'the window that inflow and buys are counted in'),
  recentMs: duration(15_000, [1000, hourMs], 'the last part of the window, in which buying must go on'),
  main: part({ inflowEthMin: inflowEth(1), buysMin: buys(12) }),
  lite: part({ inflowEthMin: inflowEth(0.5), buysMin: buys(8) }),
  youngMsMin: duration(5 * minuteMs, [0, 24 * hourMs], 'age from which a pool can burst'),
  youngMsMax: duration(
    6 * hourMs,
    [minuteMs, 24 * hourMs],
    'age up to which bursts are main and lite, and after which they are old',
  ),
  oldMsMax: duration(24 * hourMs, [minuteMs, 25 * hourMs], 'age up to which a pool can burst'),
  refireMs: duration(30 * minuteMs, [0, 24 * hourMs], `least time since the last ${either(tiersBeforeRefire)} burst`),
  scriptedBuysMin: whole(5, [2, 1000], 'a burst with so many buys of one size has the shape scripted'),
  spreadTop3BpsMax: whole(5000, [1, 10_000], 'below this share of its three largest buys it has the shape spread'),
})

const liquidity = part({
  delayMs: duration(5000, [0, 10 * minuteMs], 'who holds the liquidity of a burst is shown this long after the signal'),
  askedPositionsMax: whole(20, [0, 100], 'the owners of so many positions, the largest, are asked for at a burst'),
  checkEveryMs: duration(10 * minuteMs, [minuteMs, 24 * hourMs], 'a pool is profiled at every multiple of this age'),
  checkedMsMax: duration(6 * hourMs, [0, 24 * hourMs], 'while it is younger than this'),
  heldBpsMin: whole(5000, [1, 10_000], 'a pool is held from this share of insiders on'),
  safeBpsMin: whole(5000, [1, 10_000], 'and else safe from this share of burned, contracts and others on'),
})

const exit = exitsOf({
  fadeEth: realWithin([ethMin, 1e6], 'left once net ETH is this far below its highest, to the gwei').optional(),
})

const outcomes = part({
  lengthMs: duration(30 * minuteMs, [minuteMs, hourMs], 'a burst is scored this long after its signal'),
  costRatio: real(0.02, [0, 1], 'costs of buying and selling, deducted from every return'),
  stopRatio: real(0.85, [0, 1], 'every exit stops at or below this ratio of the signal price'),
  rugLeftRatioMax: real(0.2, [0, 1], 'a rug leaves at most this share of the liquidity at the signal'),
  exits: z
    .array(exit)
    .min(1)
    .max(30)
    .describe('each burst is scored under all of them; the first gives ruleRet')
    .default([
      { name: 'live', fadeEth: 0.5, stallMs: minuteMs },
      { name: 'hold' },
      { name: 'fade', fadeEth: 0.5 },
      { name: 'stall', stallMs: minuteMs },
      { name: 'take-profit-50', gainRatio: 1.5 },
      { name: 'take-profit-100', gainRatio: 2 },
      { name: 'trail-20', trailRatio: 0.8 },
      { name: 'time-5m', afterMs: 5 * minuteMs },
      { name: 'time-10m', afterMs: 10 * minuteMs },
    ]),
}).superRefine(refuseBy([{ at: ['exits'], refuses: ({ exits }) => refuseExits(exits) }]))

const rules = {
  pools: part({
    lifeMs: duration(poolLifeMs, [hourMs, poolLifeMs], 'age at which a pool is forgotten; ingest reads none longer'),
  }),
  curves: part({
    lifeMs: duration(curveLifeMs, [hourMs, curveLifeMs], 'a curve without a fact for this long is forgotten'),
    feeBuysMax: whole(30, [2, 1000], 'the fee of a curve is the median of so many last buys'),
  }),
  bursts,
  buyers: part({
    delayMs: duration(5000, [0, 10 * minuteMs], 'the buyers of a burst are shown this long after the signal'),
  }),
  liquidity,
  outcomes,
  desk: chainADeskSchema,
}

type Values = ValuesOf<ReturnType<typeof partOf>>
const partOf = () => part(rules)

export const chainANumbersSchema = partOf().superRefine(
  refuseBy<Values>([
    {
      at: ['bursts', 'recentMs'],
      refuses: ({ bursts: { recentMs, windowMs } }) =>
        recentMs <= windowMs ? null : `recentMs must be at most windowMs, ${windowMs} ms`,
    },
    {
      at: ['bursts', 'youngMsMin'],
      refuses: ({ bursts: { youngMsMin, youngMsMax } }) =>
        youngMsMin <= youngMsMax ? null : `youngMsMin must be at most youngMsMax, ${youngMsMax} ms`,
    },
    {
      at: ['bursts', 'youngMsMax'],
      refuses: ({ bursts: { youngMsMax, oldMsMax } }) =>
        youngMsMax <= oldMsMax ? null : `youngMsMax must be at most oldMsMax, ${oldMsMax} ms`,
    },
    {
      at: ['pools', 'lifeMs'],
      refuses: ({ pools: { lifeMs }, bursts: { oldMsMax }, outcomes: { lengthMs } }) =>
        lifeMs > oldMsMax + lengthMs
          ? null
          : `lifeMs must be above bursts.oldMsMax + outcomes.lengthMs, ${oldMsMax + lengthMs} ms. A pool must be kept until its last burst is scored`,
    },
    {
      at: ['liquidity', 'checkedMsMax'],
      refuses: ({ pools: { lifeMs }, liquidity: { checkedMsMax } }) =>
        checkedMsMax <= lifeMs
          ? null
          : `checkedMsMax must be at most pools.lifeMs, ${lifeMs} ms. Older pools are forgotten`,
    },
  ]),
)

export type ChainANumbers = ValuesOf<typeof chainANumbersSchema>
export const chainANumbers = defaultsOf(chainANumbersSchema)

const weiPerGwei = 10n ** 9n

/** Converts an amount in a rule from ETH to wei. The amount is rounded to the gwei. */
export const weiOf = (eth: number): Wei => BigInt(Math.round(eth * 1e9)) * weiPerGwei
