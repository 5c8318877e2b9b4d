/**
 * Compares the stage with an independent recount of calls, posts about tokens, on chain A. The buyers before
 * a call differ.
 */
import { buildCurveGraduated, buildCurveLaunched, buildCurveTraded } from '../../support/builders/build-curves.ts'
import { buildHash, buildSwap } from '../../support/builders/build-facts.ts'
import { at, buy, type ChainALife, every, everybody, expectLife, hour, pool } from './chain-a.ts'

const lives: Readonly<Record<string, ChainALife>> = {
  'buyers on the curve and in its pool': {
    facts: [buildCurveLaunched(at(0)), buildCurveTraded(at(500)), ...pool(600), buildCurveGraduated(at(600)), buy(650)],
    posts: [{ atSec: 700 }],
    untilSec: 2 * hour,
  },
  'buyers whom the lookup does not find': {
    facts: [...pool(0), buy(10), buy(20)],
    posts: [{ atSec: 60 }],
    senders: 'failed',
    untilSec: 2 * hour,
  },
  'buyers of whom the lookup finds one': {
    facts: [...pool(0), ...[1, 2].map((number) => buildSwap({ txHash: buildHash(number), ...at(10) }))],
    posts: [{ atSec: 60 }],
    senders: (txHash) => (txHash === buildHash(1) ? everybody(txHash) : null),
    untilSec: 2 * hour,
  },
  'buyers whom a lookup finds after more than a day': {
    facts: [...pool(0), buy(10), buy(20)],
    posts: [{ atSec: 60 }],
    senders: 'too late',
    untilSec: 30 * hour,
  },
  'a cluster of buyers in one block, of one transaction each': {
    facts: [...pool(0), ...[1, 2, 3, 4, 5].map((number) => buildSwap({ txHash: buildHash(number), ...at(10) }))],
    posts: [{ atSec: 60 }],
    untilSec: 2 * hour,
  },
  'many buys of long before the call, and some of right before it': {
    facts: [...pool(0), ...[...every(1, [1, 33]), ...every(1, [1800, 1830]), 5 * hour].map((atSec) => buy(atSec))],
    posts: [{ atSec: 1900 }],
    untilSec: 7 * hour,
  },
}

describe('what is told of a call, whoever bought before it', () => {
  for (const [name, life] of Object.entries(lives)) it(`is what a recount tells: ${name}`, () => expectLife(life))
})
