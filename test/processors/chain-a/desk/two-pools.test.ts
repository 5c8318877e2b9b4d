/**
 * Compares the trades that the desk of chain A simulates with an independent recount from the facts. The
 * token has two pools with random trades.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainA } from '../../../../processors/stages.ts'
import type { Mentioned } from '../../../../schemas/calls/facts.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import { chainADesk } from '../../../../schemas/chain-a/desk.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildCurveLaunched, buildCurveTraded } from '../../../support/builders/build-curves.ts'
import {
  buildHash,
  buildLiquidityChanged,
  buildPoolCreated,
  buildSwap,
  second,
  testToken,
  weiOf,
} from '../../../support/builders/build-facts.ts'
import { buildMention } from '../../../support/builders/build-mentions.ts'
import { linesOfChainA } from '../../../support/oracle/calls/chain-a.ts'
import { deepestAt, type Line, marketsOf } from '../../../support/oracle/calls/lines.ts'
import { callRules } from '../../../support/oracle/calls/rules.ts'
import { storyOf } from '../../../support/oracle/desk/chain-a.ts'
import {
  type Learned,
  type Position,
  pulledAtMs,
  type Story,
  shadowsOf,
  tradesOf,
  twinsOf,
} from '../../../support/oracle/desk/desk.ts'

const minuteSec = 60
const hourMs = 3_600_000

/**
 * `rush` is a group of buys in one block that fires two tiers at the same time. `pull` removes all liquidity,
 * and `most` removes nine tenths.
 */
const step = fc.record({
  kind: fc.constantFrom('buy', 'buy', 'sell', 'rush', 'add', 'pull', 'most', 'some'),
  pool: fc.constantFrom(0, 0, 1),
  gapSec: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 1500 })),
  size: fc.integer({ min: 1, max: 45 }),
})
const post = fc.record({
  atSec: fc.integer({ min: 0, max: 60 * minuteSec }),
  chat: fc.constantFrom<string[]>('1', '2', '3'),
  delaySec: fc.constantFrom<number[]>(0, 1, 20, 110),
})
const market = fc.record({
  opensAtSec: fc.integer({ min: 1, max: 600 }),
  /** The other pool opens before the step with this index. */
  opensAfter: fc.nat(30),
  depth: fc.constantFrom(1n, 3n),
  steps: fc.array(step, { minLength: 5, maxLength: 40 }),
  posts: fc.array(post, { maxLength: 6 }),
  tickSec: fc.constantFrom(1, 7, 20),
  lateSec: fc.constantFrom(0, 0, 2, 30),
})
type Market = typeof market extends fc.Arbitrary<infer Its> ? Its : never

const poolOf = (index: number): Hex => buildHash(0xb0 + index)
const unit = 10n ** 20n
/** Percent of the liquidity. */
const removed: Readonly<Record<string, bigint>> = { pull: 100n, most: 90n, some: 30n }

class Pools {
  readonly facts: ChainAFact[] = []
  readonly #liquidity = new Map<number, bigint>()
  readonly #px = new Map<number, number>()

  open(index: number, atSec: number, depth: bigint): void {
    const place = { pool: poolOf(index), blockAtMs: second(atSec) }
    this.#liquidity.set(index, depth * unit)
    this.#px.set(index, 1e-9)
    this.facts.push(buildPoolCreated(place), buildLiquidityChanged({ ...place, liquidityDelta: depth * unit }))
  }

  act({ kind, pool, size }: Market['steps'][number], atSec: number): void {
    const held = this.#liquidity.get(pool)
    if (held === undefined) return
    const place = { pool: poolOf(pool), blockAtMs: second(atSec) }
    const { [kind]: hundredths } = removed
    const delta = kind === 'add' ? unit : hundredths === undefined ? 0n : -((held * hundredths) / 100n)
    if (delta !== 0n) this.facts.push(buildLiquidityChanged({ ...place, liquidityDelta: delta }))
    this.#liquidity.set(pool, held + delta)
    const sign = kind === 'sell' ? -1 : 1
    const px = (this.#px.get(pool) ?? 0) * (1 + (sign * size) / 100)
    if (kind === 'buy' || kind === 'sell') this.facts.push(buildSwap({ ...place, px, eth: sign * 0.01 }))
    for (let buy = 0; kind === 'rush' && buy < 13; buy++) this.facts.push(buildSwap({ ...place, px, eth: 0.1 }))
    if (delta === 0n) this.#px.set(pool, px)
  }
}

function factsOf({ opensAtSec, opensAfter, depth, steps }: Market): readonly ChainAFact[] {
  const pools = new Pools()
  let atSec = opensAtSec
  pools.open(0, atSec, 1n)
  // The steps begin almost 5 min later, because bursts need this age of the pool.
  atSec += 290
  for (const [index, each] of steps.entries()) {
    atSec += each.gapSec
    if (index === opensAfter) pools.open(1, atSec++, depth)
    pools.act(each, atSec)
  }
  return pools.facts
}

const mentionsOf = ({ posts }: Market): readonly Mentioned[] =>
  posts
    .map(({ atSec, delaySec, chat }, post) => {
      const answeredAtMs = second(atSec + delaySec)
      return buildMention({ post, chat, postedAtMs: second(atSec), seenAtMs: answeredAtMs, answeredAtMs }).data
    })
    .sort((one, other) => one.answeredAtMs - other.answeredAtMs)

type Outcome = Readonly<{ records: readonly ChainADerived[]; stories: readonly Story[] }>

function tell(drawn: Market, facts: readonly ChainAFact[]): Outcome {
  const driver = createTestDriver(chainA)
  const mentions = mentionsOf(drawn)
  const lastMs = Math.max(...[...facts.map(({ data }) => data.blockAtMs), ...mentions.map((each) => each.answeredAtMs)])
  const learned: Learned[] = []
  for (let blockAtMs = second(0); blockAtMs < lastMs + 2.2 * hourMs; ) {
    learned.push({ blockAtMs, knownAtMs: blockAtMs + drawn.lateSec * 1000 })
    // There are fewer ticks after the last event, because nothing depends on them.
    blockAtMs += blockAtMs > lastMs + 600_000 ? 600_000 : drawn.tickSec * 1000
  }
  const learnedOf = (atMs: number) => learned.find(({ blockAtMs }) => blockAtMs >= atMs) ?? expect.fail(`after ${atMs}`)
  let [told, known] = [0, 0]
  for (const { blockAtMs, knownAtMs } of learned) {
    for (let fact = facts[told]; fact !== undefined && fact.data.blockAtMs <= blockAtMs; fact = facts[++told])
      driver.fact(testToken, fact)
    for (let its = mentions[known]; its !== undefined && its.answeredAtMs <= blockAtMs; its = mentions[++known])
      driver.answer(testToken, { type: 'Mentioned', data: its })
    driver.tick(blockAtMs, { knownAtMs })
  }
  const records = driver.outputs().map(({ record }) => record)
  const posts = mentions.map(({ answeredAtMs: atMs, chat }) => ({ atMs, chat, learned: learnedOf(atMs) }))
  const endMs = learned.at(-1)?.blockAtMs ?? 0
  return { records, stories: storiesOf(facts, records, { learnedOf, posts, endMs, areForgotten: posts.length === 0 }) }
}

/** The age at which the stage drops a pool, if no call is about the pool's token. */
const poolLifeMs = 25.5 * hourMs

/**
 * Returns the expected history of each pool. On a call (a post about the token), the desk buys in the deepest
 * pool. It does not buy if that pool is pulled first.
 */
function storiesOf(
  facts: readonly ChainAFact[],
  records: readonly ChainADerived[],
  known: Pick<Story, 'posts' | 'endMs'> & Readonly<{ learnedOf: (atMs: number) => Learned; areForgotten: boolean }>,
): readonly Story[] {
  const lines = linesOfChainA(facts)
  const markets = marketsOf(lines, [], callRules.followLeadMs)
  const deepest = (atMs: number) => deepestAt(markets, atMs)?.line.market
  const bursts = records.flatMap((record) => (record.type === 'Burst' ? [record.data] : []))
  const pools = [...new Set(facts.flatMap(({ data }) => ('pool' in data ? [data.pool] : [])))]
  const stories = new Map<string, Story>()
  for (const pool of pools) {
    const ofPool = ({ data }: ChainAFact) => 'pool' in data && data.pool === pool
    const own = { facts: facts.filter(ofPool), bursts: bursts.filter((burst) => burst.pool === pool) }
    const story = storyOf({ ...known, ...own, token: testToken, closedAtMs: null })
    stories.set(pool, {
      ...{ ...story, closedAtMs: known.areForgotten ? (story.openedAtMs ?? 0) + poolLifeMs : null },
      isFilledHere: (atMs) => deepest(atMs) === pool,
      callPulledAtMs({ atMs, takenAtMs, dueAtMs }) {
        const held = stories.get(deepest(takenAtMs) ?? '')
        return held === undefined ? null : pulledAtMs(held, atMs, dueAtMs)
      },
    })
  }
  const curves = lines.filter(({ source }) => source === 'curve')
  return [...stories.values(), ...curves.map((line) => curveStoryOf(line, known))]
}

/** A curve cannot be pulled, so `left` is always 1. */
const curveStoryOf = ({ openedAtMs, prices }: Line, { posts, endMs }: Pick<Story, 'posts' | 'endMs'>): Story => ({
  ...{ desk: chainADesk, token: testToken, source: 'curve', openedAtMs, posts, endMs, bursts: [] },
  ...{ moves: prices.map(({ atMs, px }) => ({ atMs, px, left: 1 })), graduatedAtMs: null, closedAtMs: null },
  fillAt: (atMs) => prices.findLast((price) => price.atMs <= atMs)?.fill ?? 0,
})

function compare(drawn: Market, facts: readonly ChainAFact[] = factsOf(drawn)): readonly Position[] {
  const { records, stories } = tell(drawn, facts)
  const trades = records.flatMap((record) => (record.type === 'DeskTrade' ? [record.data] : []))
  const twins = records.flatMap((record) =>
    record.type === 'DeskTwin' ? [{ ...record.data, book: null, signalAtMs: null }] : [],
  )
  const shadows = records.flatMap((record) => (record.type === 'DeskShadow' ? [record.data] : []))
  expect(positions(trades), 'trades').to.deep.equal(positions(tradesOf(...stories)))
  expect(positions(twins), 'twins').to.deep.equal(positions(twinsOf(...stories)))
  const shown = shadows.map(({ signal, signalAtMs, anchorAtMs, ret1, ret5, ret15, ret60, mfe, mae }) => ({
    ...{ signal, signalAtMs, anchorAtMs, returns: [ret1, ret5, ret15, ret60], mfe, mae },
  }))
  expect(sorted(shown), 'shadows').to.deep.equal(sorted(stories.flatMap(shadowsOf)))
  return [...trades, ...twins]
}

const sorted = <Item>(items: readonly Item[]) => [...items].map((item) => JSON.stringify(item)).sort()

const positions = (list: readonly Position[]) =>
  sorted(
    list.map(({ lane, book, signalAtMs, openedAtMs, closedAtMs, ret, peakRet, exit }) => ({
      ...{ lane, book, signalAtMs, openedAtMs, closedAtMs, ret, peakRet, exit },
    })),
  )

const stepOf = (kind: Market['steps'][number]['kind'], pool: 0 | 1, gapSec: number) => ({ kind, pool, gapSec, size: 1 })

/** The stage drops the first pool while a position is open in the other pool. */
const forgotten: Market = {
  ...{ opensAtSec: 1, opensAfter: 1, depth: 1n, posts: [], tickSec: 20, lateSec: 0 },
  steps: [stepOf('buy', 0, 1), stepOf('buy', 0, 90_900), stepOf('rush', 1, 305), stepOf('buy', 1, 400)],
}

/** The first pool opens between a call (a post about the token) and the desk's buy. */
const calledBefore: Market = {
  ...{ opensAtSec: 100, opensAfter: 9, depth: 1n, tickSec: 1, lateSec: 0, steps: [stepOf('buy', 0, 1)] },
  posts: [{ atSec: 98, chat: '1', delaySec: 0 }],
}

describe('the desk of chain A over random markets of two pools', () => {
  it('trades, twins and shadows as counted again from the facts', () => {
    const exits = new Set<string>()
    fc.assert(
      fc.property(market, (drawn) => {
        for (const { exit } of compare(drawn)) exits.add(exit)
      }),
      { numRuns: 100, examples: [[forgotten], [calledBefore]] },
    )
    expect([...exits]).to.include.members(['rug', 'stop', 'take_profit', 'trail', 'time'])
  })

  //  0         300       600 sold out: the price is 0     900
  //  launch    0.5 ETH   ├───────────────────────────────────
  it('does so on a curve whose price falls to 0, which it does not buy', () => {
    const [launched, trade] = [buildCurveLaunched({ blockAtMs: second(0) }), buildCurveTraded]
    const bought = trade({ blockAtMs: second(300), ethWei: weiOf(0.5), feeWei: 0n, taxWei: 0n })
    const left = { ethWei: -launched.data.phantomWei - weiOf(0.5), feeWei: 0n, taxWei: 0n }
    const facts = [launched, bought, trade({ blockAtMs: second(600), ...left })]
    const callSec = fc.integer({ min: 0, max: 900 })
    const filled = new Set<boolean>()
    fc.assert(
      fc.property(fc.array(callSec, { minLength: 1, maxLength: 3 }), (calledSec) => {
        const posts = calledSec.map((atSec, index) => ({ atSec, chat: `${index}`, delaySec: 0 }))
        const trades = compare({ ...calledBefore, posts, tickSec: 7 }, facts)
        filled.add(trades.some(({ signalAtMs, openedAtMs }) => signalAtMs !== null && openedAtMs < second(600)))
      }),
      { numRuns: 30 },
    )
    expect([...filled]).to.have.members([true, false])
  })
})
