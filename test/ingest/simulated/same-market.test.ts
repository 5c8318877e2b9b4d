/**
 * Tests that a seed gives the same simulated trades in every version. After an upgrade, a service continues
 * its data directory, so the last blocks there must be those of the simulator. After a wanted change of the
 * simulator, replace the hashes and say in CHANGELOG.md that simulated logs must be deleted.
 */
import { expect } from 'chai'
import { hexOfBase58 } from '../../../infra/base58.ts'
import { createWallets as createChainAWallets } from '../../../ingest/chain-a/simulated/identities.ts'
import { marketOf as chainAMarketOf } from '../../../ingest/chain-a/simulated/plan.ts'
import { createPrices as createChainAPrices } from '../../../ingest/chain-a/simulated/steps.ts'
import { createTokenHistories as createChainATales } from '../../../ingest/chain-a/simulated/token-histories.ts'
import { createWallets as createChainBWallets } from '../../../ingest/chain-b/simulated/identities.ts'
import { marketOf, plansOf } from '../../../ingest/chain-b/simulated/plan.ts'
import { createSimulatedRugCheck } from '../../../ingest/chain-b/simulated/rug-check.ts'
import { createPrices as createChainBPrices } from '../../../ingest/chain-b/simulated/steps.ts'
import { createTokenHistories as createChainBTales } from '../../../ingest/chain-b/simulated/token-histories.ts'
import { createSimulatedChats } from '../../../ingest/chats/simulated/simulator.ts'
import type { PriceSource } from '../../../ingest/prices/price-source.ts'
import type { Hex, PositionId } from '../../../schemas/units.ts'
import * as chainA from '../chain-a/simulated/tell.ts'
import * as chainB from '../chain-b/simulated/tell.ts'
import { hashOf } from './hash-of.ts'

const seed = 11
const fromMs = Date.UTC(2026, 10, 20, 7, 13, 21)
const hourMs = 3_600_000

/** Returns the prices of the tokens after 1, 3 and 5 hours, or the errors. */
const pricesOf = (prices: PriceSource, tokens: readonly string[]): Promise<readonly unknown[]> =>
  Promise.all(
    tokens.flatMap((token) =>
      [1, 3, 5].map((hour) =>
        prices({ token, market: null, atMs: fromMs + hour * hourMs }, chainA.never).catch(
          (error: Error) => error.message,
        ),
      ),
    ),
  )

const emptyLog = {
  book: null,
  blocksFrom: async () => [],
  factIdsFrom: async () => new Map(),
  factsFrom: async () => [],
}

describe('the market of a seed is that of earlier versions', () => {
  const span = { seed, fromMs, toMs: fromMs + 6 * hourMs }

  it('on chain A: facts, labels, senders, owners, contracts and the price of ETH', async () => {
    const spanOfA = { ...span, launchesPerDay: 700 }
    const ranges = await chainA.rangesOf(spanOfA)
    const facts = chainA.factsOf(ranges)
    const simulator = chainA.simulatorOver(spanOfA)
    const txHashes = facts.flatMap(({ fact }) => (fact.type === 'Swap' ? [fact.data.txHash] : []))
    const adds = facts.flatMap(({ fact }) =>
      fact.type === 'LiquidityChanged' && fact.data.positionId ? [fact.data] : [],
    )
    const owners = await Promise.all(
      adds.map(({ positionId, blockNumber, blockHash }) =>
        simulator.readOwners(
          { positionIds: [positionId as PositionId], blockNumber: blockNumber + 900, blockHash },
          chainA.never,
        ),
      ),
    )
    const keys = [...new Set(facts.map(({ key }) => key))]
    const reorgs = { seed, everySec: 60, depthMax: 9 }
    const reorged = await chainA.rangesOf({ ...spanOfA, toMs: fromMs + hourMs, reorgs })
    const world = { seed, walletAt: createChainAWallets(seed) }
    expect({
      facts: hashOf(facts),
      heads: hashOf(ranges.map(({ head }) => head)),
      reorged: hashOf(reorged),
      prices: hashOf(await pricesOf(createChainAPrices(chainAMarketOf(spanOfA), world), keys)),
      labels: hashOf(simulator.labelsOf(span.fromMs, span.toMs)),
      senders: hashOf([await simulator.readSenders(txHashes, chainA.never)]),
      owners: hashOf(owners),
      contracts: hashOf(await Promise.all(keys.map(simulator.hasCode))),
      price: hashOf([await simulator.readPrice(chainA.never)]),
    }).to.deep.equal({
      facts: '16619b160a5967a5',
      heads: '04b845518f21dec1',
      reorged: '25d56653e1e0a7d5',
      prices: '978ee1b3e9ec9736',
      labels: 'd27005b34bf027d3',
      senders: '34d95e8727dc3e07',
      owners: 'a46ed9144fbdf9ca',
      contracts: '159f1fbc9b4206bf',
      price: '6fd680c9cdbb1d82',
    })
  })

  it('on chain B: facts, holders, rug checks, leaders and the price of SOL', async () => {
    const spanOfB = { ...span, launchesPerDay: 2000 }
    const ranges = await chainB.rangesOf(spanOfB)
    const facts = chainB.factsOf(ranges)
    const simulator = chainB.simulatorOver(spanOfB)
    const launches = facts.flatMap(({ key, fact }) => (fact.type === 'CurveLaunched' ? [{ key, fact }] : []))
    const holders = await Promise.all(
      launches.map(({ key, fact }) =>
        simulator
          .readHolders({ mint: hexOfBase58(key, 32) as Hex, slot: fact.data.blockNumber + 300 }, chainB.never)
          .catch((error: Error) => error.message),
      ),
    )
    const market = marketOf({ seed })
    const rugChecks = createSimulatedRugCheck(market)
    const mints = plansOf(market, 480_000).map(({ key }) => key)
    const reorgs = { seed, everySlots: 150, depthMax: 9 }
    const reorged = await chainB.rangesOf({ ...spanOfB, toMs: fromMs + hourMs, reorgs })
    const prices = createChainBPrices(marketOf(spanOfB), { seed, walletAt: createChainBWallets(seed) })
    const keys = launches.map(({ key }) => key)
    expect({
      facts: hashOf(facts),
      heads: hashOf(ranges.map(({ head }) => head)),
      reorged: hashOf(reorged),
      prices: hashOf(await pricesOf(prices, keys)),
      holders: hashOf(holders),
      rugChecks: hashOf(await Promise.all(mints.map((mint) => rugChecks.check(mint, chainB.never)))),
      leaders: hashOf(simulator.leaders),
      price: hashOf([await simulator.readPrice(chainB.never)]),
    }).to.deep.equal({
      facts: '6f7eb32ebf22b035',
      heads: '1e9c65ef2fefd034',
      reorged: '0cf6231b54ac95eb',
      prices: '47e9d284ee15ad15',
      holders: '158a37308bbd2763',
      rugChecks: '428d73f57a09e111',
      leaders: 'b382e81c71002588',
      price: '53ad8f08e5ffccce',
    })
  })

  for (const [name, options, expected] of [
    ['in the chats: posts, edits, deletions and gaps', {}, 'a67e98712b73d169'],
    ['in the chats with a crowd every second hour', { crowdEveryHours: 2 }, '586a64819efd71a1'],
  ] as const)
    it(name, async () => {
      const markets = [createChainATales({ seed }), createChainBTales({ seed })]
      const chats = createSimulatedChats({
        ...{ seed, markets, nowMs: () => span.toMs, span, callsPerHour: 120 },
        ...options,
      })
      const posts: unknown[] = []
      for await (const { facts, head } of chats.source.ranges(null, emptyLog, chainA.never)) posts.push(...facts, head)
      expect(hashOf(posts)).to.equal(expected)
    })
})
