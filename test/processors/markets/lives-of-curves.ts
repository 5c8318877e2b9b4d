/**
 * Test cases for tokens of chain A with curves. Each case reaches code of the market processor that random
 * test data seldom reaches.
 */
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
} from '../../support/builders/build-curves.ts'
import {
  buildAddress,
  buildPoolInitialized,
  second,
  sqrtPriceX96Of,
  weiOf,
} from '../../support/builders/build-facts.ts'
import { at, call, change, created, curveLife, hour, keptFor, otherPool, swap } from './events-of-chain-a.ts'
import type { Life } from './play-life.ts'

const otherCurve = buildAddress(0xce)
const traded = (sec: number, eth: number) => buildCurveTraded({ ...at(sec), eth })

export const livesOfCurves: Readonly<Record<string, Life<ChainATypes>>> = {
  'of a curve that graduates into its pool': {
    events: [
      traded(0, 1),
      buildCurveLaunched(at(1)),
      traded(5, 0.5),
      traded(6.1, 0.7),
      traded(6.8, -0.2),
      buildCurveLaunched({ ...at(10), curve: otherCurve }),
      buildCurveLaunched(at(11)),
      buildCurveTraded({ ...at(12), curve: otherCurve, eth: 3 }),
      buildCurveFound({ ...at(13), curve: otherCurve }),
      buildCurveCompleted({ ...at(14), curve: otherCurve }),
      buildCurveGraduated({ ...at(15), curve: otherCurve }),
      traded(20, 1),
      buildCurveFound({ ...at(21), launchAtMs: second(1), reserveWei: weiOf(3.9) }),
      traded(22, 0.4),
      buildCurveCompleted(at(30)),
      created(31),
      change(31, 1000),
      buildCurveGraduated(at(31)),
      swap(40, 2),
      change(50, -850),
      swap(60, 1),
    ],
  },

  'of a curve whose pool was created before, among others': {
    events: [
      buildCurveLaunched(at(0)),
      created(3),
      change(4, 1000),
      created(5, { pool: otherPool, sqrtPriceX96: sqrtPriceX96Of(3e-9) }),
      change(6, 500, { pool: otherPool }),
      traded(10, 3),
      traded(20.2, 0.5),
      buildCurveGraduated(at(20.4)),
      swap(30, 2),
      change(40, -450, { pool: otherPool }),
    ],
  },

  'of a curve that graduates into a pool without a price': {
    events: [
      buildCurveLaunched(at(0)),
      traded(5, 4),
      created(10, { dex: 'v3', sqrtPriceX96: null }),
      buildCurveGraduated(at(10)),
      buildPoolInitialized(at(40)),
      change(41, 1000),
      swap(50, 2),
    ],
    askedAtSec: [30],
  },

  'of a curve that graduates into nothing that is known': {
    events: [
      buildCurveLaunched(at(0)),
      call(2),
      traded(5, 4),
      buildCurveCompleted(at(hour)),
      buildCurveGraduated(at(hour + 1)),
    ],
    askedAtSec: [hour + 60],
  },

  'of a curve that is found, idle for a week, and found again': {
    events: [
      buildCurveFound(at(0)),
      traded(5, 0.3),
      buildCurveGraduated({ ...at(6), curve: otherCurve }),
      created(curveLife - 60),
      traded(curveLife + 600, 1),
      buildCurveFound({ ...at(curveLife + 2 * hour), reserveWei: weiOf(2) }),
      traded(curveLife + 2 * hour + 5, 0.5),
    ],
    askedAtSec: [curveLife + 6],
  },

  'of a called curve that trades after its week': {
    events: [
      buildCurveLaunched(at(0)),
      traded(5, 0.3),
      call(curveLife - hour),
      buildCurveFound({ ...at(curveLife + hour), launchAtMs: second(0), reserveWei: weiOf(0.5) }),
      traded(curveLife + hour, 0.4),
      traded(curveLife + 2 * hour, 0.5),
      traded(curveLife + keptFor, 0.1),
    ],
    askedAtSec: [curveLife + 6, curveLife - hour + keptFor + 1],
  },
}
