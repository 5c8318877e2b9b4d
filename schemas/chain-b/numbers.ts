/** The numbers of the rules of chain B. `rules.ts` describes these rules in words. */

import { z } from 'zod'
import { exitsOf, refuseExits } from '../exits.ts'
import { defaultsOf, duration, part, real, refuseBy, type ValuesOf, whole, wholeWithin } from '../rule-values.ts'
import { hourMs, minuteMs } from '../units.ts'
import { copySchema, shadowSchema } from './copy-rules.ts'
import { chainBDeskSchema } from './desk.ts'
import { curveLifeMs, graduatedLifeMs } from './mint-life.ts'
import { lamportsPerSol } from './units.ts'

const lamportsMax = 1e6 * lamportsPerSol

const bursts = part({
  windowMs: duration(minuteMs, [1000, hourMs], 'the window that inflow is counted in'),
  recentMs: duration(15_000, [1000, hourMs], 'the last part of the window, in which buying must go on'),
  inflowLamportsMin: whole(10 * lamportsPerSol, [1, lamportsMax], 'least net inflow in the window, fees left out'),
  ageMsMin: duration(5 * minuteMs, [0, 24 * hourMs], 'age from which a curve can burst'),
  ageMsMax: duration(4 * hourMs, [0, 24 * hourMs], 'age up to which it can'),
  fillBpsMin: whole(2500, [0, 10_000], 'fill of the curve from which it can burst'),
  fillBpsMax: whole(5500, [0, 10_000], 'fill up to which it can'),
})

const anatomy = part({
  delayMs: duration(5000, [0, 10 * minuteMs], 'the anatomy of a burst is shown this long after the signal'),
  bundleBuysMin: whole(2, [2, 1000], 'buys are bundled if so many are in one slot'),
})

const exit = exitsOf({
  fadeLamports: wholeWithin([1, lamportsMax], 'left once net lamports are this far below their highest').optional(),
})

const outcomes = part({
  lengthMs: duration(
    20 * minuteMs,
    [minuteMs, hourMs],
    'a burst is scored this long after its signal, if its curve is not complete',
  ),
  costRatio: real(0.025, [0, 1], 'costs of buying and selling, deducted from every return'),
  stopRatio: real(0.85, [0, 1], 'every exit stops at or below this ratio of the signal price'),
  exits: z
    .array(exit)
    .min(1)
    .max(30)
    .describe('each burst is scored under all of them; the first gives ruleRet')
    .default([
      { name: 'live', fadeLamports: 5 * lamportsPerSol },
      { name: 'hold' },
      { name: 'fade-2', fadeLamports: 2 * lamportsPerSol },
      { name: 'stall', stallMs: minuteMs },
      { name: 'take-profit-50', gainRatio: 1.5 },
      { name: 'take-profit-100', gainRatio: 2 },
      { name: 'trail-20', trailRatio: 0.8 },
      { name: 'time-5m', afterMs: 5 * minuteMs },
      { name: 'time-10m', afterMs: 10 * minuteMs },
    ]),
}).superRefine(refuseBy([{ at: ['exits'], refuses: ({ exits }) => refuseExits(exits) }]))

const rules = {
  mints: part({
    curveLifeMs: duration(curveLifeMs, [hourMs, curveLifeMs], 'a mint without a fact for this long is forgotten'),
    graduatedLifeMs: duration(
      graduatedLifeMs,
      [20 * minuteMs, graduatedLifeMs],
      'a mint is followed this long after its curve was complete',
    ),
  }),
  bursts,
  anatomy,
  outcomes,
  graduations: part({
    pathMinutes: whole(60, [1, 60], 'the fill of a curve is published for so many minutes before its graduation'),
  }),
  shadow: shadowSchema,
  copy: copySchema,
  desk: chainBDeskSchema,
}

type Values = ValuesOf<ReturnType<typeof partOf>>
const partOf = () => part(rules)

export const chainBNumbersSchema = partOf().superRefine(
  refuseBy<Values>([
    {
      at: ['bursts', 'recentMs'],
      refuses: ({ bursts: { recentMs, windowMs } }) =>
        recentMs <= windowMs ? null : `recentMs must be at most windowMs, ${windowMs} ms`,
    },
    {
      at: ['bursts', 'ageMsMin'],
      refuses: ({ bursts: { ageMsMin, ageMsMax } }) =>
        ageMsMin <= ageMsMax ? null : `ageMsMin must be at most ageMsMax, ${ageMsMax} ms`,
    },
    {
      at: ['bursts', 'fillBpsMin'],
      refuses: ({ bursts: { fillBpsMin, fillBpsMax } }) =>
        fillBpsMin <= fillBpsMax ? null : `fillBpsMin must be at most fillBpsMax, ${fillBpsMax}`,
    },
    {
      at: ['shadow', 'windowMs'],
      refuses: ({ shadow: { windowMs }, mints: { graduatedLifeMs: lifeMs } }) =>
        windowMs < lifeMs
          ? null
          : `windowMs must be below mints.graduatedLifeMs, ${lifeMs} ms. A mint must be followed until its copies are over`,
    },
    {
      at: ['copy', 'timeStopMs'],
      refuses: ({ shadow: { windowMs }, copy: { timeStopMs } }) =>
        timeStopMs <= windowMs
          ? null
          : `timeStopMs must be at most shadow.windowMs, ${windowMs} ms. A copy must end while its buy is followed`,
    },
    {
      at: ['bursts', 'ageMsMax'],
      refuses: ({ bursts: { ageMsMax }, mints: { curveLifeMs: lifeMs } }) =>
        ageMsMax <= lifeMs
          ? null
          : `ageMsMax must be at most mints.curveLifeMs, ${lifeMs} ms. A curve cannot burst after it is forgotten`,
    },
  ]),
)

export type ChainBNumbers = ValuesOf<typeof chainBNumbersSchema>
export const chainBNumbers = defaultsOf(chainBNumbersSchema)
