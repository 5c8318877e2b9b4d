/**
 * Test cases for mints of chain B. Each case reaches code of the market processor that random test data
 * seldom reaches.
 */
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { second } from '../../support/builders/build-facts.ts'
import { buildMention } from '../../support/builders/build-mentions.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildGapFound,
  buildKey,
  buildPoolTraded,
  lamports,
  late,
} from '../../support/chain-b/build-facts.ts'
import type { Life } from './play-life.ts'

const hour = 3600
const [day, graduatedLife, keptFor] = [24 * hour, 65 * 60, 48.25 * hour]
const otherCoin = { quoteMint: buildKey(5) }

const at = (sec: number) => ({ blockAtMs: second(sec) })
const traded = (sec: number, fill: number) => buildCurveTraded({ ...at(sec), fill })
const inPool = (sec: number, sol: number, fields: Parameters<typeof buildPoolTraded>[0] = {}) =>
  buildPoolTraded({ ...at(sec), poolQuoteRaw: lamports(sol), ...fields })

export const livesOfMints: Readonly<Record<string, Life<ChainBTypes>>> = {
  'of a mint that migrates, with facts that come late': {
    events: [
      traded(0, 0.1),
      late(buildCurveLaunched(at(0.5))),
      buildCurveLaunched(at(1)),
      buildCurveLaunched(at(2)),
      traded(5.2, 0.2),
      traded(5.8, 0.25),
      late(traded(6, 0.9)),
      buildGapFound(at(7)),
      inPool(8, 70),
      traded(9, 0.55),
      traded(10, 0.6),
      traded(20, 0.5),
      late(buildCurveCompleted(at(21))),
      late(buildCurveMigrated(at(22))),
      traded(30, 1),
      buildCurveCompleted(at(30)),
      inPool(31, 1, { isBeforeMigration: true }),
      buildCurveMigrated(at(40.3)),
      inPool(41, 2, { isBeforeMigration: true }),
      traded(42, 0.4),
      buildCurveMigrated({ ...at(43), pool: buildKey(9) }),
      late(buildCurveMigrated({ ...at(44), pool: buildKey(8) })),
      inPool(50.5, 100),
      late(inPool(51, 3)),
      inPool(52, 0),
      inPool(53, 90, { poolTokenRaw: 0n }),
      inPool(60, 120),
    ],
    askedAtSec: [30 + graduatedLife - 1795, 30 + graduatedLife + 1, 30 + graduatedLife + 2 * hour],
  },

  'of a mint whose migration alone says that its curve is complete': {
    events: [buildCurveLaunched(at(0)), traded(5, 0.8), buildCurveMigrated(at(20)), inPool(30, 90)],
    askedAtSec: [20 + graduatedLife + 1, 20 + graduatedLife + 2 * hour],
  },

  'of a mint that trades against another coin': {
    events: [
      buildCurveLaunched({ ...at(0), ...otherCoin }),
      buildCurveTraded({ ...at(5), ...otherCoin }),
      buildCurveMigrated({ ...at(9), ...otherCoin }),
      buildPoolTraded({ ...at(12), ...otherCoin }),
    ],
    askedAtSec: [2 * hour],
  },

  'of an old mint that is found, forgotten, and found again': {
    events: [
      traded(0, 0.3),
      buildCurveFound({ ...at(5), supplyRaw: null }),
      traded(6, 0.35),
      traded(day + 600, 0.4),
      buildCurveFound({ ...at(day + 2 * hour), supplyRaw: null }),
      traded(day + 2 * hour + 5, 0.6),
      buildCurveFound({ ...at(day + 2 * hour + 10), supplyRaw: null }),
      traded(day + 2 * hour + 20, 0.7),
    ],
    askedAtSec: [day + 7],
  },

  'of a called mint that is idle for a day, and found again': {
    events: [
      buildCurveLaunched(at(0)),
      traded(5, 0.5),
      buildMention({ postedAtMs: second(10) }),
      buildCurveFound({ ...at(30 * hour), launchAtMs: second(0) }),
      traded(30 * hour + 1, 0.6),
      traded(50 * hour, 0.7),
      buildMention({ postedAtMs: second(50 * hour + 10), post: 2 }),
      traded(50 * hour + 20, 0.8),
    ],
    askedAtSec: [day + 6, 10 + keptFor + 1],
  },

  'of a called mint': {
    events: [
      buildCurveLaunched(at(0)),
      traded(5, 0.5),
      buildMention({ postedAtMs: second(10) }),
      traded(15, 1),
      buildCurveMigrated(at(20)),
      inPool(30, 90),
      inPool(30 * hour, 80),
    ],
    askedAtSec: [2 * hour, 10 + keptFor + 1, 10 + keptFor + 2 * hour],
  },
}
