/**
 * Generates random trades of one token, one post about it, and the answers to the stage's lookups of prices
 * and senders.
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainA } from '../../../../processors/stages.ts'
import type { PriceAnswered } from '../../../../schemas/calls/facts.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAAnswer, ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildCurveGraduated, buildCurveLaunched, buildCurveTraded } from '../../../support/builders/build-curves.ts'
import {
  buildAddress,
  buildHash,
  buildLiquidityChanged,
  buildPoolCreated,
  buildSendersAnswered,
  buildSwap,
  second,
  testToken,
  weiOf,
} from '../../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../../support/builders/build-mentions.ts'

/** The time between two steps. Some gaps are longer than the time for which prices are kept. */
const gap = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 900 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 5_000_000 }) },
)
const kind = fc.constantFrom<string[]>(
  'buy',
  'buy',
  'buy',
  'sell',
  'nothing',
  'add',
  'remove',
  'pull',
  'partial',
  'most',
  'curve',
  'curve',
  'more',
)
const step = fc.record({ gapMs: gap, kind, pool: fc.nat(1), size: fc.integer({ min: 1, max: 60 }) })

export const trading = fc.record({
  // There are so many steps that most posts come while the token is traded.
  steps: fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
  isLaunched: fc.boolean(),
  graduatesAfter: fc.nat(150),
  /** The age of the first market when the steps begin, in seconds. Some markets are about to be dropped. */
  ageSec: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 80_000, max: 96_000 }) },
  ),
  mood: fc.record({ seed: fc.nat(), failShare: fc.constantFrom(0, 0.02, 0.3), slowShare: fc.constantFrom(0, 0.1) }),
})
export type Trading = typeof trading extends fc.Arbitrary<infer Its> ? Its : never

const poolOf = (index: number): Hex => buildHash(0xb0 + index)

/**
 * Builds the facts, with one block per time. One in three trades at the same time shares the transaction of
 * the trade before it.
 */
export function factsOf({ steps, isLaunched, graduatesAfter, ageSec }: Trading): ChainAFact[] {
  const market = new RandomMarket()
  if (isLaunched) market.facts.push(buildCurveLaunched(market.place()))
  else market.open(0)
  market.advance(ageSec * 1000, true)
  let isGraduated = !isLaunched
  for (const [index, step] of steps.entries()) {
    market.advance(step.gapMs, index % 3 > 0)
    if (!isGraduated && index >= graduatesAfter) {
      isGraduated = true
      market.open(0)
      market.facts.push(buildCurveGraduated(market.place()))
      market.advance(0, true)
    }
    if (step.kind === 'curve' && !isGraduated) market.buyOnCurve(step.size)
    if (step.kind === 'more') market.open(1)
    market.act(step)
  }
  return market.facts
}

const signs: Readonly<Record<string, number>> = { buy: 1, sell: -1, nothing: 0 }
/**
 * The percentage of the pool's liquidity that a step removes. One `partial` leaves more than a fifth, and two
 * `most` leave less.
 */
const taken: Readonly<Record<string, bigint>> = { remove: 5n, partial: 79n, most: 55n, pull: 100n }
const added = 10n ** 20n

class RandomMarket {
  readonly facts: ChainAFact[] = []
  readonly #opened = new Map<number, bigint>()
  #atMs = second(0)
  #block = 1
  #transaction = 0
  #px = 1e-9

  place() {
    const txHash = buildHash(0xabc0_0000 + this.#transaction)
    return { blockAtMs: this.#atMs, blockNumber: this.#block, txHash }
  }

  advance(gapMs: number, isOwnTransaction: boolean): void {
    this.#atMs += gapMs
    if (gapMs > 0) this.#block++
    if (gapMs > 0 || isOwnTransaction) this.#transaction++
  }

  open(index: number): void {
    if (this.#opened.has(index)) return
    this.#opened.set(index, added)
    this.facts.push(buildPoolCreated({ pool: poolOf(index), ...this.place() }))
    this.facts.push(buildLiquidityChanged({ pool: poolOf(index), liquidityDelta: added, ...this.place() }))
  }

  buyOnCurve(size: number): void {
    this.facts.push(buildCurveTraded({ ethWei: weiOf(size / 100), trader: buildAddress(size % 7), ...this.place() }))
  }

  act({ kind: its, pool, size }: Trading['steps'][number]): void {
    if (!this.#opened.has(pool)) return
    const place = { pool: poolOf(pool), ...this.place() }
    const sign = signs[its]
    this.#px *= 1 + ((sign ?? 0) * size) / 100
    if (sign !== undefined) this.facts.push(buildSwap({ eth: (sign * size) / 100, px: this.#px, ...place }))
    const before = this.#opened.get(pool) ?? 0n
    const liquidityDelta = its === 'add' ? added : (-before * (taken[its] ?? 0n)) / 100n
    if (liquidityDelta === 0n) return
    this.#opened.set(pool, before + liquidityDelta)
    this.facts.push(buildLiquidityChanged({ liquidityDelta, ...place }))
  }
}

export const senderOf = (txHash: string): Hex => buildAddress(Number(BigInt(txHash) % 5n))

/**
 * How the log is divided into ticks. `tickMs` is the time between ticks. `delayMs` is the time from a post
 * until it becomes known.
 */
export type Delivery = Readonly<{ tickMs: number; delayMs: number; isRestarted: boolean }>

/** `runnable` is the stage. By default, it has the default rules. */
type Telling = Delivery & Readonly<{ runnable?: typeof chainA }>

export const delivery: fc.Arbitrary<Delivery> = fc.record({
  tickMs: fc.constantFrom(1000, 7000, 60_000, 300_000),
  delayMs: fc.oneof(fc.integer({ min: -60_000, max: 20_000 }), fc.integer({ min: 0, max: 900_000 })),
  isRestarted: fc.boolean(),
})

/**
 * Answers a price lookup with a price, soon or late, or with no price. The answer depends only on the id of
 * the lookup.
 */
export const answering =
  ({ mood: { seed, failShare, slowShare } }: Trading) =>
  (questionId: string): PriceAnswered => {
    const hash = createHash('sha1').update(`${seed}:${questionId}`).digest()
    const [chance = 0, other = 0, level = 0, pace = 0] = [...hash].map((byte) => byte / 256)
    const atMs = Number(questionId.slice(questionId.lastIndexOf(':') + 1))
    const answeredAtMs = atMs + Math.round(pace * (other < slowShare ? 120_000 : 14_000))
    if (chance >= failShare) {
      const source = other > 0.97 ? 'pool' : 'aggregator'
      return { ...buildPriceAnswer(questionId, 0.1 + level, { source, change1h: level * 4 - 1 }).data, answeredAtMs }
    }
    const failure = { failure: 'no answer', isWithoutPrice: other < 0.5 }
    return { ...buildPriceAnswer(questionId, null).data, ...failure, answeredAtMs }
  }

type Told = Readonly<{ record: ChainADerived; tickAtMs: number }>

/**
 * Returns the stage's records about the post, with the tick of each record. Answers to lookups come one tick
 * after their requests.
 */
export function tell(drawn: Trading, postedAtMs: number, delivery: Telling): readonly Told[] {
  const driver = createTestDriver(delivery.runnable ?? chainA)
  const facts = factsOf(drawn)
  const answerTo = answering(drawn)
  const knownAtMs = knownAtMsOf(postedAtMs, delivery)
  let next = 0
  return instantsOf(postedAtMs, delivery).flatMap((tickAtMs, index) => {
    for (let fact = facts[next]; fact !== undefined && fact.data.blockAtMs <= tickAtMs; fact = facts[++next])
      driver.fact(testToken, fact)
    if (tickAtMs === knownAtMs) driver.answer(testToken, buildMention({ postedAtMs }))
    const closed = driver.tick(tickAtMs)
    if (delivery.isRestarted && index % 37 === 0) driver.restart()
    for (const { record } of closed) for (const answer of answersTo(record, answerTo)) driver.answer(testToken, answer)
    return closed.map(({ record }) => ({ record, tickAtMs }))
  })
}

export const knownAtMsOf = (postedAtMs: number, { delayMs }: Delivery): number =>
  Math.max(second(0), postedAtMs + delayMs)

/**
 * Returns the regular ticks, the tick in which the post becomes known, and two ticks after the hour that
 * follows the post.
 */
export function instantsOf(postedAtMs: number, delivery: Delivery): readonly number[] {
  const endMs = postedAtMs + 3_900_000
  const instants = new Set([knownAtMsOf(postedAtMs, delivery), endMs, endMs + 60_000])
  const { tickMs } = delivery
  // Ticks begin only some time before the post, because nothing depends on earlier ticks.
  const fromMs = Math.max(second(0), second(0) + Math.floor((postedAtMs - second(0) - 8_000_000) / tickMs) * tickMs)
  for (let atMs = fromMs + tickMs; atMs < endMs; atMs += tickMs) instants.add(atMs)
  return [...instants].sort((left, right) => left - right)
}

function answersTo(record: ChainADerived, answerTo: (questionId: string) => PriceAnswered): readonly ChainAAnswer[] {
  if (record.type === 'PriceAsked') return [{ type: 'PriceAnswered', data: answerTo(record.data.questionId) }]
  if (record.type !== 'PrecallSendersAsked') return []
  const { questionId, revision, txHashes } = record.data
  const senders = txHashes.map((txHash) => ({ txHash, sender: senderOf(txHash) }))
  return [buildSendersAnswered({ questionId, revision, senders })]
}
