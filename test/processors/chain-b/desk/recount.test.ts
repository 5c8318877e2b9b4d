/**
 * Compares the trades that the desk of chain B simulates with an independent recount from the facts. The
 * trades of the mints are random.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { createChainB } from '../../../../processors/stages.ts'
import type { Mentioned } from '../../../../schemas/calls/facts.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import type { Desk } from '../../../../schemas/desk/rules.ts'
import { defaultRules, type Rules } from '../../../../schemas/rules.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buildMention } from '../../../support/builders/build-mentions.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildPoolTraded,
  buildSafetyAnswered,
  lamports,
  testMint,
} from '../../../support/chain-b/build-facts.ts'
import { storiesOf } from '../../../support/oracle/desk/chain-b.ts'
import {
  type Learned,
  type Position,
  type Story,
  shadowsOf,
  tradesOf,
  twinsOf,
} from '../../../support/oracle/desk/desk.ts'

const minuteSec = 60
const hourMs = 3_600_000

/**
 * `rush` is a group of buys of 12 SOL in all, within some seconds. `level` is the fill of the curve in
 * percent, or the SOL in the pool.
 */
const step = fc.record({
  kind: fc.constantFrom('trade', 'trade', 'rush'),
  gapSec: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 25 * minuteSec })),
  level: fc.integer({ min: 22, max: 60 }),
})
const post = fc.record({
  atSec: fc.integer({ min: 0, max: 90 * minuteSec }),
  chat: fc.constantFrom('1', '2', '3', '4'),
  kind: fc.constantFrom('call', 'call', 'call', 'brag'),
  isLate: fc.constantFrom(false, false, false, true),
  hasCode: fc.constantFrom(null, null, true, false),
  delaySec: fc.constantFrom<number[]>(1, 1, 2, 40, 130),
} as const)
const life = fc.record({
  /** With `found`, the launch time is unknown. With `unpriced`, the curve has no virtual SOL. */
  opening: fc.constantFrom('launched', 'launched', 'launched', 'found', 'unpriced', 'none'),
  steps: fc.array(step, { minLength: 1, maxLength: 30 }),
  completesAfter: fc.oneof(fc.nat(8), fc.nat(40)),
  completesBy: fc.constantFrom('trade', 'event', 'migration'),
  /** If true, one trade on the curve comes after the curve is complete and before its migration. */
  isTradedLate: fc.boolean(),
  posts: fc.array(post, { maxLength: 6 }),
  tickSec: fc.constantFrom(7, 20, 60),
  lateSec: fc.constantFrom(0, 0, 4, 90, 150),
})
type Life = typeof life extends fc.Arbitrary<infer Its> ? Its : never

function factsOf({ opening, steps, ...completing }: Life): readonly ChainBFact[] {
  if (opening === 'none') return []
  const mint = new Mint(opening === 'unpriced' ? { virtualQuoteRaw: 0n } : {})
  mint.open(opening)
  const completesAfter = opening === 'unpriced' ? Number.POSITIVE_INFINITY : completing.completesAfter
  for (const [index, step] of steps.entries()) {
    mint.atSec += step.gapSec
    if (index < completesAfter) mint.tradeOnCurve(step)
    else if (index === completesAfter) mint.complete(step, completing)
    else mint.tradeInPool(step)
  }
  return mint.facts
}

type Step = Life['steps'][number]

class Mint {
  readonly facts: ChainBFact[] = []
  readonly #reserves: Readonly<{ virtualQuoteRaw?: bigint }>
  atSec = 0

  constructor(reserves: Readonly<{ virtualQuoteRaw?: bigint }>) {
    this.#reserves = reserves
  }

  #place() {
    return { blockAtMs: second(this.atSec) }
  }

  #trade(fill: number, sol = 0.1): void {
    this.facts.push(buildCurveTraded({ fill, sol, ...this.#place(), ...this.#reserves }))
  }

  /** Opens the curve. The steps begin at 200 s, because bursts need an age of five minutes. */
  open(opening: Life['opening']): void {
    const place = this.#place()
    this.facts.push(opening === 'found' ? buildCurveFound(place) : buildCurveLaunched({ ...place, ...this.#reserves }))
    this.atSec = 200
  }

  tradeOnCurve({ kind, level }: Step): void {
    for (let buy = 0; kind === 'rush' && buy < 4; buy++) {
      this.#trade(level / 100 - 0.01, 3)
      this.atSec += 2
    }
    this.#trade(level / 100)
  }

  complete({ level }: Step, { completesBy, isTradedLate }: Pick<Life, 'completesBy' | 'isTradedLate'>): void {
    if (completesBy === 'trade') this.#trade(1)
    if (completesBy === 'event') this.facts.push(buildCurveCompleted(this.#place()))
    this.atSec += 3
    if (completesBy !== 'migration' && isTradedLate) this.#trade(0.9)
    this.atSec += level
    this.facts.push(buildCurveMigrated(this.#place()))
  }

  tradeInPool({ level }: Step): void {
    this.facts.push(buildPoolTraded({ poolQuoteRaw: lamports(level + 40), ...this.#place() }))
  }
}

const mentionsOf = ({ posts }: Life, fields: Partial<Mentioned>): readonly Mentioned[] =>
  posts
    .map(({ atSec, delaySec, ...told }, index) => {
      const answeredAtMs = second(atSec + delaySec)
      const times = { postedAtMs: second(atSec), seenAtMs: answeredAtMs, answeredAtMs }
      return buildMention({ post: index, ...times, ...told, ...fields }).data
    })
    .sort((one, other) => one.answeredAtMs - other.answeredAtMs)

/** Returns regular ticks until two hours after the last event, and then two ticks after all timers. */
function instantsOf({ tickSec }: Life, lastMs: number): readonly number[] {
  const instants: number[] = []
  for (let atMs = second(0); atMs < lastMs + 2.2 * hourMs; atMs += tickSec * 1000) instants.push(atMs)
  return [...instants, lastMs + 27 * hourMs, lastMs + 55 * hourMs]
}

type Outcome = Readonly<{
  records: readonly ChainBDerived[]
  learnedOf: (atMs: number) => Learned
  posts: Story['posts']
  mentions: readonly Mentioned[]
  facts: readonly ChainBFact[]
  endMs: number
}>

const isSignal = ({ kind, isLate, hasCode, postedAtMs, answeredAtMs }: Mentioned, knownWithinMs: number): boolean =>
  kind === 'call' && !isLate && hasCode !== false && answeredAtMs - postedAtMs <= knownWithinMs

function tell(drawn: Life, rules: Rules, fields: Partial<Mentioned>): Outcome {
  const driver = createTestDriver(createChainB(rules))
  const facts = factsOf(drawn)
  const mentions = mentionsOf(drawn, fields)
  const lastMs = Math.max(second(0), facts.at(-1)?.data.blockAtMs ?? 0, mentions.at(-1)?.answeredAtMs ?? 0)
  const instants = instantsOf(drawn, lastMs)
  const learned = instants.map((blockAtMs) => ({ blockAtMs, knownAtMs: blockAtMs + drawn.lateSec * 1000 }))
  const learnedOf = (atMs: number) => learned.find(({ blockAtMs }) => blockAtMs >= atMs) ?? expect.fail(`after ${atMs}`)
  let [told, known] = [0, 0]
  for (const { blockAtMs, knownAtMs } of learned) {
    for (let fact = facts[told]; fact !== undefined && fact.data.blockAtMs <= blockAtMs; fact = facts[++told])
      driver.fact(testMint, fact)
    for (let its = mentions[known]; its !== undefined && its.answeredAtMs <= blockAtMs; its = mentions[++known])
      driver.answer(testMint, { type: 'Mentioned', data: its })
    for (const { record } of driver.tick(blockAtMs, { knownAtMs }))
      if (record.type === 'SafetyAsked')
        driver.answer(testMint, buildSafetyAnswered({ questionId: record.data.questionId }))
  }
  const posts = mentions
    .filter((mention) => isSignal(mention, rules.desk.knownWithinMs))
    .map(({ answeredAtMs: atMs, chat }) => ({ atMs, chat, learned: learnedOf(atMs) }))
  return {
    ...{ records: driver.outputs().map(({ record }) => record), learnedOf, posts, mentions, facts },
    endMs: instants.at(-1) ?? 0,
  }
}

function compare(drawn: Life, rules: Rules, fields: Partial<Mentioned> = {}): readonly string[] {
  const { records, ...told } = tell(drawn, rules, fields)
  const bursts = records.flatMap((record) => (record.type === 'Burst' ? [record.data] : []))
  const { desk, mints } = rules.chainB
  const known = { ...told, token: testMint, bursts, desk, numbers: rules.desk, curveLifeMs: mints.curveLifeMs }
  const stories = drawn.opening === 'unpriced' ? [] : storiesOf(known)
  const trades = records.flatMap((record) => (record.type === 'DeskTrade' ? [record.data] : []))
  const twins = records.flatMap((record) =>
    record.type === 'DeskTwin' ? [{ ...record.data, book: null, signalAtMs: null }] : [],
  )
  const shadows = records.flatMap((record) => (record.type === 'DeskShadow' ? [record.data] : []))
  expect(positions(trades), 'trades').to.deep.equal(positions(stories.length === 0 ? [] : tradesOf(...stories)))
  expect(positions(twins), 'twins').to.deep.equal(positions(stories.length === 0 ? [] : twinsOf(...stories)))
  const shown = shadows.map(({ signal, signalAtMs, anchorAtMs, ret1, ret5, ret15, ret60, mfe, mae }) => ({
    ...{ signal, signalAtMs, anchorAtMs, returns: [ret1, ret5, ret15, ret60], mfe, mae },
  }))
  expect(sorted(shown), 'shadows').to.deep.equal(sorted(stories.flatMap(shadowsOf)))
  return [...trades, ...twins].map(({ exit }) => exit)
}

/**
 * Rounds a number. The stage divides by lamports and the recount does not, so their ratios differ in the last
 * digits.
 */
const near = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(9)) : value

const sorted = <Item>(items: readonly Item[]) =>
  [...items].map((item) => JSON.stringify(item, (_, value: unknown) => near(value))).sort()

const positions = (list: readonly Position[]) =>
  sorted(
    list.map(({ lane, book, signalAtMs, openedAtMs, closedAtMs, ret, peakRet, exit }) => ({
      ...{ lane, book, signalAtMs, openedAtMs, closedAtMs, ret, peakRet, exit },
    })),
  )

/**
 * Adds two strategies to the desk. No burst of chain B fits the first one, which has comparison positions on
 * curves of any age. The other strategy needs posts in four chats.
 */
function withMoreLanes(desk: Desk): Desk {
  const [burst, call] = desk.lanes
  if (burst === undefined || call === undefined) return desk
  return {
    ...desk,
    lanes: [
      ...desk.lanes,
      {
        ...{ ...burst, name: 'tiered' },
        entry: { signal: 'burst', tiers: ['main'], shapes: null, fillMax: null },
        twins: { source: null, ageMs: null, fill: [0.25, 0.5] },
      },
      { ...call, name: 'call-4', entry: { signal: 'call', chats: 4 }, twins: { sameAs: 'call-2' } },
    ],
  }
}

const { chainB, desk } = defaultRules
const rules: Rules = { ...defaultRules, chainB: { ...chainB, desk: withMoreLanes(chainB.desk) } }

/** The last trades are a burst. */
const endingInBurst: Life = {
  ...{ opening: 'launched', completesAfter: 40, completesBy: 'trade', isTradedLate: false },
  ...{ steps: [{ kind: 'rush', gapSec: 200, level: 30 }], posts: [], tickSec: 7, lateSec: 4 },
}

describe('the desk of chain B over random lives of a mint', () => {
  it('trades, twins and shadows as counted again from the facts', () => {
    const exits = new Set<string>()
    fc.assert(
      fc.property(life, (drawn) => {
        for (const exit of compare(drawn, rules)) exits.add(exit)
      }),
      { numRuns: 60 },
    )
    expect([...exits]).to.include.members(['graduated', 'stop', 'take_profit', 'time'])
  })

  it('does so where signals are filled when their curve may be forgotten already', () => {
    const slow: Rules = {
      ...{ ...rules, desk: { ...desk, fillDelayMs: hourMs, knownWithinMs: hourMs } },
      chainB: {
        ...rules.chainB,
        mints: { ...chainB.mints, curveLifeMs: hourMs },
        bursts: { ...chainB.bursts, ageMsMax: hourMs },
      },
    }
    // With these rules, a call that becomes known late is kept longer than in any other test.
    const lateLife = life.map(({ steps, posts, ...drawn }) => ({
      ...{ ...drawn, steps: steps.slice(0, 8) },
      posts: posts.map(({ delaySec, ...its }) => ({ ...its, delaySec: 50 * delaySec })),
    }))
    fc.assert(
      fc.property(lateLife, (drawn) => {
        compare(drawn, slow, { isFollowed: false })
      }),
      { numRuns: 30, examples: [[endingInBurst]] },
    )
  })
})
