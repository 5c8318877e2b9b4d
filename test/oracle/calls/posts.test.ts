/**
 * Compares the stage with an independent recount of calls, posts about tokens, on chain A. The posts are
 * written and become known at different times.
 */
import { second } from '../../support/builders/build-facts.ts'
import { burst, buy, type ChainALife, every, expectLife, hour, pool, watch } from './chain-a.ts'

/** Returns one of many posts. They come from 210 chats with two or three posters each. */
const flooding = (index: number, fields: ChainALife['posts'][number]) => ({
  ...{ chat: `${1000 + (index % 210)}`, poster: `${index % 450}`, post: index, ...fields },
})

const lives: Readonly<Record<string, ChainALife>> = {
  'several callers in one tick, of whom one posts twice and one post is read twice': {
    facts: [...pool(0), buy(10)],
    posts: [
      { atSec: 60, chat: '200', poster: '7' },
      { atSec: 60, chat: '100', poster: '7' },
      { atSec: 60, chat: '100', poster: '7', post: 2 },
      { atSec: 60, chat: '100', poster: '8', post: 3 },
      { atSec: 60, chat: '100', poster: '7', knownSec: 400 },
      { atSec: 65, chat: '300', kind: 'brag' },
    ],
    untilSec: 2 * hour,
  },
  'an address without code, at which a token is launched': {
    facts: [...pool(1500), buy(1510)],
    posts: [
      { atSec: 10, knownSec: 1200, hasCode: false, isFollowed: false },
      { atSec: 1210, hasCode: false, isFollowed: false, chat: '200' },
      { atSec: 1600, hasCode: true, post: 2 },
      { atSec: 1700, chat: '300' },
    ],
    price: () => ({}),
    untilSec: 3 * hour,
  },
  'bursts after a call and before it': {
    facts: [...pool(0), ...[2400, 4 * hour, 5 * hour, 6 * hour].flatMap(burst)],
    posts: [{ atSec: 4.5 * hour }, { atSec: 4.6 * hour, chat: '200' }],
    untilSec: 8 * hour,
  },
  'a burst before the call is known': {
    facts: [...pool(0), buy(100), ...burst(4400)],
    posts: [{ atSec: 4390, knownSec: 4700 }],
    untilSec: 3 * hour,
  },
  'a burst half an hour before the call': {
    facts: [...pool(0), ...burst(2400)],
    posts: [{ atSec: 4200 }],
    untilSec: 3 * hour,
  },
  'a call that is known 20 minutes late': {
    facts: [...pool(0), ...every(60, [60, 3 * hour]).map((atSec) => buy(atSec))],
    posts: [{ atSec: 3000, knownSec: 4200, isLate: true }],
    untilSec: 3 * hour,
  },
  'a call of a quiet token that is known 20 minutes late': {
    facts: [...pool(0), buy(10)],
    posts: [{ atSec: 3000, knownSec: 4200, isLate: true }],
    untilSec: 3 * hour,
  },
  'a call of a quiet token in a tick 15 minutes after it': {
    facts: [...pool(0), buy(2900)],
    posts: [{ atSec: 3000, knownSec: 3900 }],
    untilSec: 3 * hour,
  },
  'a call of a quiet token in a tick 16 minutes after it': {
    facts: [...pool(0), buy(2900)],
    posts: [{ atSec: 3000, knownSec: 3890 }],
    tickSec: 120,
    untilSec: 3 * hour,
  },
  'a call of a quiet token that was seen at once, but is in a tick hours later': {
    facts: [...pool(0), buy(2900)],
    posts: [{ atSec: 3000, seenAtMs: second(3001), answeredAtMs: second(2 * hour) }],
    untilSec: 4 * hour,
  },
  'calls that are known hours late': {
    facts: [
      ...pool(0),
      ...burst(3010),
      ...every(60, [3060, 6 * hour]).map((atSec) => buy(atSec, 1e-9 + atSec * 1e-14)),
    ],
    posts: [
      { atSec: 3000, knownSec: 4 * hour, isLate: true },
      { atSec: 3100, knownSec: 4 * hour, isLate: true, poster: '8', post: 2 },
      { atSec: 4 * hour - 600, knownSec: 4 * hour, isLate: true, poster: '9', post: 3 },
    ],
    price: () => ({ afterSec: 4 * hour }),
    untilSec: 6 * hour,
  },
  'a call that is known five minutes after its prices were last kept': {
    facts: [...pool(0), ...every(60, [60, 4 * hour]).map((atSec) => buy(atSec))],
    posts: [{ atSec: 3000, knownSec: 7800, isLate: true }],
    price: () => ({ afterSec: 4800 }),
    untilSec: 4 * hour,
  },
  'a call that is read in time and told late': {
    facts: [...pool(0), ...every(60, [60, 3 * hour]).map((atSec) => buy(atSec))],
    posts: [{ atSec: 3000, knownSec: 3700 }],
    tickSec: 1200,
    untilSec: 4 * hour,
  },
  'a call in the last minute of a watch': {
    posts: [{ atSec: 10 }, { atSec: watch - 60, poster: '8', post: 2 }],
    price: (atSec) => ({ px: 1 + (atSec % 7) }),
    untilSec: watch + 3 * hour,
  },
  'a post after the end of a watch and before its close, and one of before the end after its close': {
    facts: [...pool(0), buy(10), buy(watch)],
    posts: [
      { atSec: 60 },
      { atSec: watch + 360, poster: '8', post: 2 },
      { atSec: watch - 60, poster: '9', post: 3, knownSec: watch + 1200 },
    ],
    price: () => ({ afterSec: 1300 }),
    untilSec: watch + 3 * hour,
  },
  'more posts, chats, posters and waiting scores than are kept': {
    posts: [
      ...Array.from({ length: 1100 }, (_, index) => flooding(index, { atSec: 60 + (index % 4), knownSec: 70 })),
      ...Array.from({ length: 20 }, (_, index) => flooding(2000 + index, { atSec: 200, kind: 'recall' })),
      flooding(0, { atSec: 300 }),
      flooding(999, { atSec: 300 }),
    ],
    price: () => ({ afterSec: 3 }),
    untilSec: 3 * hour,
  },
}

describe('what is told of a call, whenever its posts come and are known', () => {
  for (const [name, life] of Object.entries(lives)) it(`is what a recount tells: ${name}`, () => expectLife(life))
})
