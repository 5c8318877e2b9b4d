/**
 * Compares the stage with an independent recount of calls, posts about tokens, on chain A. The price lookups
 * get different answers.
 */
import { buildLiquidityChanged, buildPoolInitialized, second, testToken } from '../../support/builders/build-facts.ts'
import { buildPriceAnswer } from '../../support/builders/build-mentions.ts'
import { at, buy, type ChainALife, expectLife, hour, unpriced, watch } from './chain-a.ts'

const lives: Readonly<Record<string, ChainALife>> = {
  'a first price a minute after the post': {
    facts: [unpriced(0), buildPoolInitialized(at(70)), buildLiquidityChanged(at(70)), buy(200, 2e-9)],
    posts: [{ atSec: 10 }],
    price: () => ({ isSilent: true }),
    untilSec: 2 * hour,
  },
  'a first price before the answer': {
    facts: [unpriced(0), buildPoolInitialized(at(14)), buildLiquidityChanged(at(14)), buy(200, 2e-9)],
    posts: [{ atSec: 10 }],
    price: () => ({ afterSec: 10 }),
    tickSec: 5,
    untilSec: 2 * hour,
  },
  'a mark that is never answered, and no return is due at it': {
    posts: [{ atSec: 10 }],
    price: (atSec) => (atSec === 611 ? null : { px: atSec === 10 ? 2 : 3 }),
    untilSec: 3 * hour,
  },
  'a mark that is never answered, and a return is due at it': {
    posts: [{ atSec: 10 }],
    price: (atSec) => (atSec === 311 ? null : { px: atSec === 10 ? 2 : 3 }),
    untilSec: 3 * hour,
  },
  'a source that has no price at the post': {
    posts: [{ atSec: 10 }],
    price: () => ({ px: null }),
    untilSec: 3 * hour,
  },
  'a source that has no price at a mark': {
    posts: [{ atSec: 10 }],
    price: (atSec) => ({ px: atSec === 311 ? null : 2 }),
    untilSec: 3 * hour,
  },
  'a mark that is answered late, and one in another unit': {
    posts: [{ atSec: 10 }],
    price: (atSec) => ({ afterSec: atSec === 611 ? 70 : 1, source: atSec === 1211 ? 'pool' : 'aggregator' }),
    untilSec: 3 * hour,
  },
  'a price that is answered late at the post': {
    posts: [{ atSec: 10 }],
    price: () => ({ afterSec: 20, change1h: 0.5 }),
    untilSec: 3 * hour,
  },
  'a price that is answered before the next second of the search for one': {
    posts: [{ atSec: 10 }],
    price: () => ({}),
    tickSec: 1,
    untilSec: 1.2 * hour,
  },
  'a token that dies, is read once an hour and lives again': {
    posts: [{ atSec: 10 }],
    price: (atSec) =>
      atSec % (8 * hour) > 2000 && atSec % (8 * hour) < 7 * hour ? { px: null } : { px: 1 + (atSec % 7) },
    untilSec: watch + hour,
  },
  'posts of one second, the last known when the price is': {
    posts: [
      { atSec: 10, chat: '100' },
      { atSec: 10, chat: '200' },
      { atSec: 10, chat: '300', knownSec: 500 },
    ],
    price: (atSec) => ({ px: 1 + (atSec % 7), change1h: 0.5 }),
    strays: [
      { atSec: 200, answer: { type: 'PriceAnswered', data: buildPriceAnswer(`${testToken}:${second(10)}`, 9).data } },
    ],
    untilSec: 3 * hour,
  },
  'asked prices at the instants of samples that have no anchor': {
    posts: [{ atSec: 0 }, { atSec: 599, poster: '8', post: 2 }],
    price: (atSec) => (atSec === 0 ? { isSilent: true } : {}),
    untilSec: 3 * hour,
  },
  'a question at a call that is never answered, and one at the next call that is': {
    posts: [{ atSec: 10 }, { atSec: 100, poster: '8', post: 2 }],
    price: (atSec) => (atSec === 10 ? null : {}),
    untilSec: 3 * hour,
  },
}

describe('what is told of a call, whatever is answered about its prices', () => {
  for (const [name, life] of Object.entries(lives)) it(`is what a recount tells: ${name}`, () => expectLife(life))
})
