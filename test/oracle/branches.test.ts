/**
 * A recount computes a stage's records a second time with independent code. This test checks that the test
 * data of the recounts reaches each branch of the listed files. A recount says nothing about other branches.
 */
import { expectAllTaken } from '../support/branches/expect-all-taken.ts'

describe('the recounts of chain A', () => {
  it('lead through each branch of bursts, outcomes, gaps, liquidity, minutes, buyers and pools', () =>
    expectAllTaken({
      files: [
        'processors/exits.ts',
        'processors/markets/move.ts',
        'processors/chain-a/pace.ts',
        'processors/chain-a/bursts/burst.ts',
        'processors/chain-a/bursts/processor.ts',
        'processors/chain-a/bursts/sizes.ts',
        'processors/chain-a/bursts/window.ts',
        'processors/chain-a/buyers/buyers.ts',
        'processors/chain-a/buyers/processor.ts',
        'processors/chain-a/gaps/continuity.ts',
        'processors/chain-a/gaps/gap.ts',
        'processors/chain-a/gaps/processor.ts',
        'processors/chain-a/liquidity/burst-lp.ts',
        'processors/chain-a/liquidity/checks.ts',
        'processors/chain-a/liquidity/ownership.ts',
        'processors/chain-a/liquidity/processor.ts',
        'processors/chain-a/minutes/minute.ts',
        'processors/chain-a/minutes/processor.ts',
        'processors/chain-a/outcomes/outcome.ts',
        'processors/chain-a/outcomes/processor.ts',
        'processors/chain-a/pools/pool.ts',
        'processors/chain-a/pools/positions.ts',
        'processors/chain-a/pools/processor.ts',
      ],
      tests: [
        'test/oracle/random-market.test.ts',
        'test/processors/chain-a/bursts/window.test.ts',
        'test/processors/chain-a/gaps/recount.test.ts',
        'test/processors/chain-a/liquidity/ownership-property.test.ts',
      ],
    })).timeout(300_000)
})

describe('the recount of chain B', () => {
  it('leads through each branch of mints, bursts, outcomes, graduations, copies, gaps and safety', () =>
    expectAllTaken({
      files: [
        'processors/exits.ts',
        'processors/chain-b/anatomy/anatomy.ts',
        'processors/chain-b/anatomy/holders.ts',
        'processors/chain-b/anatomy/question.ts',
        'processors/chain-b/bursts/burst.ts',
        'processors/chain-b/bursts/candidate.ts',
        'processors/chain-b/bursts/processor.ts',
        'processors/chain-b/bursts/window.ts',
        'processors/chain-b/copies/copy.ts',
        'processors/chain-b/copies/copy-rows.ts',
        'processors/chain-b/copies/holdings.ts',
        'processors/chain-b/copies/market.ts',
        'processors/chain-b/copies/path.ts',
        'processors/chain-b/copies/processor.ts',
        'processors/chain-b/copies/shadows.ts',
        'processors/chain-b/gaps/gap.ts',
        'processors/chain-b/gaps/processor.ts',
        'processors/chain-b/graduations/path.ts',
        'processors/chain-b/graduations/post.ts',
        'processors/chain-b/graduations/processor.ts',
        'processors/chain-b/minutes/processor.ts',
        'processors/chain-b/mints/mint.ts',
        'processors/chain-b/mints/processor.ts',
        'processors/chain-b/outcomes/outcome.ts',
        'processors/chain-b/outcomes/path.ts',
        'processors/chain-b/safety/processor.ts',
        'processors/chain-b/safety/safety.ts',
      ],
      tests: [
        'test/oracle/chain-b/random-market.test.ts',
        'test/processors/chain-b/bursts/window.test.ts',
        'test/processors/chain-b/copies/copy-rows.test.ts',
      ],
    })).timeout(300_000)
})

describe('the recounts of calls', () => {
  it('lead through each branch of grades', () =>
    expectAllTaken({
      files: ['processors/calls/grades/grade.ts', 'processors/calls/grades/processor.ts'],
      tests: ['test/processors/calls/grades/bent-grades.test.ts', 'test/processors/calls/grades/recount.test.ts'],
      named: /are those of a recount(?! by another)/,
    })).timeout(300_000)
})

describe('the recounts of posts', () => {
  it('lead through each branch of watches, scores and precalls', () =>
    expectAllTaken({
      files: [
        'processors/calls/asked-score.ts',
        'processors/calls/chats.ts',
        'processors/calls/post-state.ts',
        'processors/calls/posts.ts',
        'processors/calls/processor.ts',
        'processors/calls/question.ts',
        'processors/calls/quote.ts',
        'processors/calls/samples.ts',
        'processors/calls/score.ts',
        'processors/calls/stage.ts',
        'processors/calls/watch.ts',
        'processors/chain-a/calls/buys.ts',
        'processors/chain-a/calls/precall.ts',
        'processors/chain-a/calls/precalls.ts',
        'processors/chain-a/calls/processor.ts',
        'processors/chain-b/calls/processor.ts',
      ],
      tests: ['chain-b', 'markets', 'posts', 'precalls', 'prices'].map((name) => `test/oracle/calls/${name}.test.ts`),
      // This branch needs posts between whole seconds, which a unit test covers.
      untaken: ['const run60 = fromMs === null ? null : pxAt(markets, postedAtMs) / pxAt(markets, fromMs)'],
    })).timeout(300_000)
})

describe('the recounts of the desk', () => {
  it('lead through each branch of the desk', () =>
    expectAllTaken({
      files: [
        'processors/chain-a/desk/processor.ts',
        'processors/chain-b/desk/processor.ts',
        'processors/desk/books.ts',
        'processors/desk/calls.ts',
        'processors/desk/open-positions.ts',
        'processors/desk/lanes.ts',
        'processors/desk/processor.ts',
        'processors/desk/shadow.ts',
        'processors/desk/signals.ts',
        'processors/desk/tradable-market.ts',
        'processors/desk/trade.ts',
        'processors/desk/twin.ts',
        'processors/desk/walk-books.ts',
      ],
      tests: [
        'test/processors/chain-a/desk/recount.test.ts',
        'test/processors/chain-a/desk/two-pools.test.ts',
        'test/processors/chain-b/desk/recount.test.ts',
        'test/processors/desk/shadow.test.ts',
      ],
      named: /over a market trades|two pools|random lives|found again within the hour/,
    })).timeout(300_000)
})

describe('the recounts of markets', () => {
  it('lead through each branch of the markets of both chains, and of curves', () =>
    expectAllTaken({
      files: [
        'processors/markets/band.ts',
        'processors/markets/fold.ts',
        'processors/markets/markets.ts',
        'processors/markets/points.ts',
        'processors/markets/prices.ts',
        'processors/markets/processor.ts',
        'processors/chain-a/curves/curve.ts',
        'processors/chain-a/curves/processor.ts',
        'processors/chain-a/markets/prices.ts',
        'processors/chain-a/markets/processor.ts',
        'processors/chain-b/markets/prices.ts',
        'processors/chain-b/markets/processor.ts',
      ],
      tests: ['test/processors/markets/recount.test.ts', 'test/processors/chain-a/curves/recount.test.ts'],
    })).timeout(300_000)
})
