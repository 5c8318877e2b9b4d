/** Lives of tokens of chain A, each of which leads the fold of markets where random ones seldom do. */
import { priceTickMin } from '../../../schemas/chain-a/pool-price.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
} from '../../support/builders/build-curves.ts'
import {
  buildAddress,
  buildHash,
  buildLiquidityChanged,
  buildPoolCreated,
  buildPoolInitialized,
  buildSendersAnswered,
  buildSwap,
  second,
  sqrtPriceX96Of,
  weiOf,
} from '../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../support/builders/build-mentions.ts'
import type { Life } from './play-life.ts'

const hour = 3600
const [day, poolLife, curveLife, keptFor] = [24 * hour, 25.5 * hour, 7 * 24 * hour, 48.25 * hour]
const otherPool = buildHash(0xb1)
const thirdPool = buildHash(0xb2)
const unknownPool = buildHash(0xbf)
const otherCurve = buildAddress(0xce)
const full = 10n ** 21n

type Fields = Readonly<{ pool?: Hex; txHash?: Hex; blockNumber?: number }>

const at = (sec: number) => ({ blockAtMs: second(sec) })
const created = (sec: number, fields: Parameters<typeof buildPoolCreated>[0] = {}) =>
  buildPoolCreated({ ...at(sec), ...fields })
const swap = (sec: number, px: number, fields: Parameters<typeof buildSwap>[0] = {}) =>
  buildSwap({ ...at(sec), px: px * 1e-9, ...fields })
/** By so many thousandths of `full`. */
const change = (sec: number, perMille: number, fields: Fields = {}) =>
  buildLiquidityChanged({ ...at(sec), liquidityDelta: (full * BigInt(perMille)) / 1000n, ...fields })
const traded = (sec: number, eth: number) => buildCurveTraded({ ...at(sec), eth })
const call = (sec: number, fields: Parameters<typeof buildMention>[0] = {}) =>
  buildMention({ postedAtMs: second(sec), ...fields })

const priced = buildPriceAnswer('question', 1)
const tx = buildHash(0x7a)

export const livesOfChainA: Readonly<Record<string, Life<ChainATypes>>> = {
  'of a pool whose swaps do not all count': {
    events: [
      created(0.4, { hooks: buildAddress(0x40) }),
      change(1, 1000),
      swap(5.2, 2),
      swap(5.7, 3),
      created(6, { sqrtPriceX96: sqrtPriceX96Of(9e-9) }),
      swap(7, 4, { ethWei: 0n }),
      swap(8, 4, { sender: buildAddress(0x40) }),
      swap(9, 4, { tick: priceTickMin }),
      swap(10, 4, { pool: unknownPool }),
      change(11, 500, { pool: unknownPool }),
      buildPoolInitialized({ ...at(12), pool: unknownPool }),
      change(13, 0),
      swap(poolLife - 10, 5),
      swap(poolLife + 10, 6),
      change(poolLife + 11, 500),
    ],
    askedAtSec: [poolLife + 1],
  },

  'of a pool whose liquidity is taken, put back and pulled': {
    events: [
      created(0),
      change(1, 1000),
      swap(2, 2),
      change(20, -300, { txHash: tx }),
      change(20, -200, { txHash: tx }),
      swap(20, 0.5, { txHash: tx }),
      change(20, 100, { txHash: tx }),
      change(31.2, -500),
      change(31.7, 400, { blockNumber: 1032 }),
      swap(40, 3),
      change(50, -400),
      change(60, 1000),
      swap(70, 2),
      change(80.1, -900),
      change(80.6, 900, { blockNumber: 1081 }),
      change(90, -1000),
    ],
  },

  'of two pools, the deeper of which changes': {
    events: [
      created(0),
      change(1, 1000),
      created(10.3, { pool: otherPool, sqrtPriceX96: sqrtPriceX96Of(2e-9) }),
      swap(20, 3),
      change(30, 2000, { pool: otherPool }),
      swap(40, 4, { pool: otherPool }),
      change(50, -1900, { pool: otherPool }),
      swap(60, 5),
      change(70, -1000),
      swap(80, 6, { pool: otherPool }),
      change(90, 10),
      swap(poolLife + 5, 7, { pool: otherPool }),
    ],
    askedAtSec: [poolLife + 2 * hour],
  },

  'of two pools of one depth': {
    events: [
      created(0, { pool: otherPool }),
      change(1, 10, { pool: otherPool }),
      created(5),
      change(6, 10),
      swap(9, 2),
    ],
  },

  'of pools that have a price after their creation, or never': {
    events: [
      created(0, { dex: 'v3', sqrtPriceX96: null }),
      change(1, 10),
      swap(2, 2, { pool: unknownPool }),
      created(4, { pool: otherPool, dex: 'v3', sqrtPriceX96: null }),
      buildPoolInitialized(at(10.5)),
      change(12, 1000),
      swap(20, 2),
    ],
    askedAtSec: [poolLife + 1],
  },

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
    events: [buildCurveLaunched(at(0)), traded(5, 4), buildCurveCompleted(at(9)), buildCurveGraduated(at(10))],
    askedAtSec: [60],
  },

  'of a curve that is found, idle for a week, and found again': {
    events: [
      buildCurveFound(at(0)),
      traded(5, 0.3),
      traded(curveLife + hour, 1),
      buildCurveFound({ ...at(curveLife + 2 * hour), reserveWei: weiOf(2) }),
      traded(curveLife + 2 * hour + 5, 0.5),
    ],
    askedAtSec: [curveLife + 6],
  },

  'of a called token whose pool is kept to the end of the watch': {
    events: [
      created(0),
      change(1, 1000),
      call(10, { isFollowed: false }),
      buildSendersAnswered({ answeredAtMs: second(15) }),
      { ...priced, data: { ...priced.data, answeredAtMs: second(16) } },
      call(20, { kind: 'recall' }),
      swap(30, 2),
      call(poolLife - 3000, { seenAtMs: second(poolLife - 2000), post: 2 }),
      swap(poolLife + 100, 3),
      swap(poolLife + 20 * hour, 4),
      change(poolLife + 20 * hour + 60, -900),
      call(poolLife + 30 * hour, { post: 3 }),
      swap(poolLife + 30 * hour + 60, 1),
      swap(poolLife + 30 * hour + keptFor - 600, 2),
      swap(poolLife + 30 * hour + keptFor + 600, 3),
    ],
    askedAtSec: [poolLife + 1, poolLife + 30 * hour + keptFor + 1],
  },

  'of a token whose call comes too late for its pool, and not for its second': {
    events: [
      created(0),
      created(poolLife - 500, { pool: otherPool }),
      swap(poolLife - 400, 2),
      call(poolLife - 300),
      swap(poolLife + 50, 3, { pool: otherPool }),
    ],
    askedAtSec: [poolLife + 1, poolLife + keptFor - 299, poolLife + keptFor + 3 * hour],
  },

  'of a pool that trades every second before it is quiet for an hour': {
    events: [
      created(0),
      change(1, 1000),
      ...Array.from({ length: 100 }, (_, index) => swap(hour + index, 2 + (index % 7) / 10)),
      swap(hour + 76 * 60, 3),
      swap(hour + 77 * 60, 4),
    ],
    askedAtSec: [hour + 60, hour + 101, hour + 76 * 60 + 2, hour + 77 * 60 + 2, day],
    isAskedOften: false,
  },

  'of quiet pools beside a busy one, asked about instants of long ago': {
    events: [
      created(0),
      change(10, 1000),
      created(20, { pool: otherPool }),
      change(20, 100, { pool: otherPool }),
      change(30, -300),
      created(40, { pool: thirdPool }),
      ...[50, hour, 2 * hour, 4 * hour].map((sec) => swap(sec, 2, { pool: thirdPool })),
      change(5 * hour, -100),
      swap(7 * hour, 3, { pool: thirdPool }),
    ],
    oldAtSec: [-1, 5, 25, 60, 2 * hour],
  },
}
