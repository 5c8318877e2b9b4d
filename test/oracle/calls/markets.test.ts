/**
 * Compares the stage with an independent recount of calls, posts about tokens, on chain A. The markets of the
 * tokens begin and end in different ways.
 */
import {
  buildCurveFound,
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
} from '../../support/builders/build-curves.ts'
import { buildLiquidityChanged, buildPoolCreated, buildPoolInitialized } from '../../support/builders/build-facts.ts'
import { at, buy, type ChainALife, expectLife, hour, pool, pull, unpriced, watch } from './chain-a.ts'

const lives: Readonly<Record<string, ChainALife>> = {
  'a call on the log and one after the pool was emptied': {
    facts: [...pool(0), buy(10), pull(100)],
    posts: [{ atSec: 60 }, { atSec: 200, poster: '8', post: 2 }],
    price: (atSec) => ({ px: 1 + (atSec % 7) }),
    untilSec: 3 * hour,
  },
  'a curve that graduates without a pool': {
    facts: [
      buildCurveLaunched(at(0)),
      buildCurveTraded(at(10)),
      buildCurveTraded({ ...at(100), eth: 1 }),
      buildCurveGraduated(at(600)),
    ],
    posts: [{ atSec: 60 }],
    price: (atSec) => ({ px: 1e-9, source: atSec > 2000 ? 'pool' : 'aggregator' }),
    untilSec: 5 * hour,
  },
  'a first price that is later than two minutes': {
    facts: [unpriced(0), buildPoolInitialized(at(300)), buildLiquidityChanged(at(300))],
    posts: [{ atSec: 10 }],
    price: () => ({ isSilent: true }),
    untilSec: 2 * hour,
  },
  'a pool of seven hours, after a run of its price': {
    facts: [...pool(0), buy(10), buy(7 * hour, 4e-9)],
    posts: [{ atSec: 7.1 * hour }],
    untilSec: 9 * hour,
  },
  'a pool of a day': {
    facts: [...pool(0), buy(10)],
    posts: [{ atSec: 24.5 * hour }],
    untilSec: 27 * hour,
  },
  'a curve that goes on in a pool which is pulled right before the graduation': {
    facts: [
      buildCurveLaunched(at(0)),
      buildCurveTraded(at(500)),
      ...pool(600),
      pull(600, 90n),
      buildCurveGraduated(at(600)),
    ],
    posts: [{ atSec: 510 }],
    untilSec: 5 * hour,
  },
  'a curve that goes on in a pool which is pulled right after the graduation': {
    facts: [
      buildCurveLaunched(at(0)),
      buildCurveTraded(at(500)),
      buildPoolCreated(at(600)),
      buildLiquidityChanged(at(600)),
      buildCurveGraduated(at(600)),
      pull(600),
    ],
    posts: [{ atSec: 510 }],
    untilSec: 5 * hour,
  },
  'a curve that goes on in a pool which has its first price later': {
    facts: [
      buildCurveLaunched(at(0)),
      buildCurveTraded(at(10)),
      unpriced(590),
      buildCurveGraduated(at(600)),
      buildPoolInitialized(at(1000)),
      buildLiquidityChanged(at(1000)),
      buy(1200, 2e-9),
      pull(4 * hour),
    ],
    posts: [{ atSec: 60 }],
    price: () => ({ px: 1e-9, source: 'pool' }),
    untilSec: 5 * hour,
  },
  'a pull between the end of a watch and its close': {
    facts: [...pool(0), buy(10), pull(hour + watch + 300)],
    posts: [{ atSec: hour }],
    untilSec: hour + watch + 1200,
  },
  'a pull in a watch that ends at none of its returns': {
    facts: [...pool(0), buy(10), pull(1000)],
    posts: [{ atSec: 60 }],
    untilSec: 6 * hour,
    bent: { said: { watchMs: 5 * hour * 1000 }, counted: { watchMs: 5 * hour * 1000 } },
  },
  'a curve that was found, whose age nobody knows': {
    facts: [buildCurveFound(at(0)), buildCurveTraded(at(10))],
    posts: [{ atSec: 60 }],
    untilSec: 2 * hour,
  },
}

describe('what is told of a call, however its markets begin and end', () => {
  for (const [name, life] of Object.entries(lives)) it(`is what a recount tells: ${name}`, () => expectLife(life))
})
