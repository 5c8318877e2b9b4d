/**
 * Test cases for tokens of chain A with pools. Each case reaches code of the market processor that random
 * test data seldom reaches.
 */
import { priceTickMin } from '../../../schemas/chain-a/pool-price.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import {
  buildAddress,
  buildHash,
  buildPoolInitialized,
  buildSendersAnswered,
  second,
  sqrtPriceX96Of,
} from '../../support/builders/build-facts.ts'
import { buildPriceAnswer } from '../../support/builders/build-mentions.ts'
import { at, call, change, created, day, hour, keptFor, otherPool, poolLife, swap } from './events-of-chain-a.ts'
import type { Life } from './play-life.ts'

const thirdPool = buildHash(0xb2)
const unknownPool = buildHash(0xbf)

const priced = buildPriceAnswer('question', 1)
const tx = buildHash(0x7a)

export const livesOfPools: Readonly<Record<string, Life<ChainATypes>>> = {
  'of a pool whose swaps do not all count': {
    events: [
      created(0.4, { hooks: buildAddress(0x40) }),
      change(1, 1000),
      swap(5.2, 2),
      swap(5.7, 3),
      created(6.5, { sqrtPriceX96: sqrtPriceX96Of(9e-9) }),
      swap(7, 4, { ethWei: 0n }),
      swap(8, 4, { sender: buildAddress(0x40) }),
      swap(9, 4, { tick: priceTickMin }),
      swap(10, 4, { pool: unknownPool }),
      change(11, 500, { pool: unknownPool }),
      buildPoolInitialized({ ...at(12), pool: unknownPool }),
      change(13, 0),
      call(20, { kind: 'recall' }),
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
      change(90, -1100),
      change(100, 500),
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

  'of a token that is called when nothing is known of it': {
    events: [call(0), created(3 * day), swap(3 * day + 5, 2)],
    askedAtSec: [hour],
  },

  'of a token that is called too late for its first pool, and has another one later': {
    events: [created(0), change(1, 100), call(poolLife - 1000), created(poolLife + 2 * hour, { pool: otherPool })],
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
      swap(hour + 45 * 60, 5),
      swap(hour + 76 * 60, 3),
      swap(hour + 77 * 60, 4),
    ],
    askedAtSec: [hour + 60, hour + 101, hour + 45 * 60 + 2, hour + 76 * 60 + 2, hour + 77 * 60 + 2, day],
    isAskedOften: false,
  },

  // When the first price later than 75 minutes comes, the processor deletes most of the old prices together.
  'of a pool that trades in a row, and an hour later in another one': {
    events: [
      created(0),
      ...Array.from({ length: 39 }, (_, index) => swap(1 + index, 2 + index / 10)),
      change(100, 1000),
      ...Array.from({ length: 36 }, (_, index) => swap(hour + 1 + index, 3 + index / 10)),
      swap(39 + 4501, 9),
    ],
    askedAtSec: [39 + 4502],
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
