/** Tests trade histories of chain B that the random test data does not reach. */
import { chainB } from '../../../processors/stages.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { second } from '../../support/builders/build-facts.ts'
import {
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildGapFound,
  buildKey,
  buildPoolTraded,
  lamports,
  late,
  testMint,
} from '../../support/chain-b/build-facts.ts'
import { linesOfChainB } from '../../support/oracle/calls/chain-b.ts'
import { callRules } from '../../support/oracle/calls/rules.ts'
import { dataOf, expectCalls } from './compare-lives.ts'
import { type Life, live } from './life.ts'

const hour = 3600

function expectLife(life: Life<ChainBFact>): void {
  const { records, told } = live({ runnable: chainB, token: testMint }, life)
  const bursts = dataOf<{ atMs: number }>(records, 'Burst').map(({ atMs }) => ({ tier: 'sol', atMs }))
  expectCalls(records, { ...told, lines: linesOfChainB(life.facts ?? []), rules: callRules, bursts })
}

const at = (atSec: number) => ({ blockAtMs: second(atSec) })
const trade = (atSec: number, fill: number, sol = 0.1): ChainBFact => buildCurveTraded({ sol, fill, ...at(atSec) })
const coin = { quoteMint: buildKey(0xc1) }

const lives: Readonly<Record<string, Life<ChainBFact>>> = {
  'bursts after the call': {
    facts: [
      buildCurveLaunched(at(0)),
      ...[trade(400, 0.3, 6), trade(401, 0.4, 6)],
      ...[trade(4 * hour - 60, 0.35, 6), trade(4 * hour - 59, 0.5, 6)],
    ],
    posts: [{ atSec: 390 }],
    untilSec: 6 * hour,
  },
  'a burst before the call is known': {
    facts: [buildCurveLaunched(at(0)), trade(400, 0.3, 6), trade(401, 0.4, 6)],
    posts: [{ atSec: 390, knownSec: 700 }],
    untilSec: 6 * hour,
  },
  'trades that are told late, and a gap': {
    facts: [
      buildCurveLaunched(at(0)),
      trade(10, 0.1),
      late(buildCurveTraded({ fill: 0.9, ...at(50) })),
      buildGapFound(at(90)),
      trade(200, 0.2),
    ],
    posts: [{ atSec: 60 }],
    untilSec: 2 * hour,
  },
  'a curve against another coin': {
    facts: [buildCurveLaunched({ ...coin, ...at(0) }), buildCurveTraded({ ...coin, ...at(10) })],
    posts: [{ atSec: 60 }],
    price: (atSec) => ({ px: 1 + (atSec % 7) }),
    untilSec: 3 * hour,
  },
  'a pool against another coin': {
    facts: [
      buildCurveLaunched(at(0)),
      trade(10, 0.9),
      buildCurveTraded({ fill: 1, ...at(300) }),
      buildCurveMigrated({ ...coin, ...at(305) }),
      buildPoolTraded({ ...coin, poolQuoteRaw: lamports(50), ...at(310) }),
    ],
    posts: [{ atSec: 60 }, { atSec: 400, poster: '8', post: 2 }],
    price: (atSec) => ({ px: 1e-14 * (1 + (atSec % 7)), source: 'pool' }),
    untilSec: 5 * hour,
  },
  'a complete curve that goes on nowhere': {
    facts: [buildCurveLaunched(at(0)), trade(10, 0.9), buildCurveTraded({ fill: 1, ...at(300) })],
    posts: [{ atSec: 60 }, { atSec: 900, poster: '8', post: 2 }],
    price: (atSec) => ({ px: 1e-14 * (1 + (atSec % 7)), source: 'pool' }),
    untilSec: 5 * hour,
  },
  'a supply that nobody knows': {
    facts: [buildCurveFound({ supplyRaw: null, ...at(0) }), trade(10, 0.1), trade(300, 0.3)],
    posts: [{ atSec: 60 }],
    untilSec: 2 * hour,
  },
  'a mint that is found again while it is known': {
    facts: [
      buildCurveLaunched(at(0)),
      trade(10, 0.1),
      buildCurveFound({ launchAtMs: second(-100), ...at(100) }),
      trade(300, 0.5),
    ],
    posts: [{ atSec: 60 }, { atSec: 200, poster: '8', post: 2 }],
    untilSec: 2 * hour,
  },
  'a mint that is found again after it was forgotten': {
    facts: [
      buildCurveLaunched(at(0)),
      trade(10, 0.1),
      buildCurveFound({ launchAtMs: second(0), ...at(26 * hour) }),
      trade(26 * hour + 20, 0.5),
    ],
    posts: [{ atSec: 24.5 * hour }, { atSec: 26 * hour + 60, poster: '8', post: 2 }],
    price: (atSec) => ({ px: 1e-14 * (1 + (atSec % 7)), source: 'pool' }),
    untilSec: 30 * hour,
  },
}

describe('what is told of a call of chain B', () => {
  for (const [name, life] of Object.entries(lives)) it(`is what a recount tells: ${name}`, () => expectLife(life))
})
