/** Random trading of one token, and one post about it: what the processor says must not depend on when the post became known. */
import fc from 'fast-check'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainA } from '../../../../processors/stages.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildCurveGraduated, buildCurveLaunched, buildCurveTraded } from '../../../support/build-curves.ts'
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
} from '../../../support/build-facts.ts'
import { buildMention } from '../../../support/build-mentions.ts'

/** Sometimes quiet for longer than the path remembers. */
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
  'curve',
  'curve',
  'more',
)
const step = fc.record({ gapMs: gap, kind, pool: fc.nat(1), size: fc.integer({ min: 1, max: 60 }) })

export const trading = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 120 }),
  isLaunched: fc.boolean(),
  graduatesAfter: fc.nat(150),
})
export type Trading = typeof trading extends fc.Arbitrary<infer Its> ? Its : never

const poolOf = (index: number): Hex => buildHash(0xb0 + index)

/** A block for each instant; trades of one instant are in one block, and each third of them in the transaction before it. */
export function factsOf({ steps, isLaunched, graduatesAfter }: Trading): ChainAFact[] {
  const market = new RandomMarket()
  if (isLaunched) market.facts.push(buildCurveLaunched(market.place()))
  else market.open(0)
  let isGraduated = !isLaunched
  for (const [index, step] of steps.entries()) {
    market.advance(step.gapMs, index % 3 > 0)
    if (!isGraduated && index >= graduatesAfter) {
      isGraduated = true
      market.open(0)
      market.facts.push(buildCurveGraduated(market.place()))
    }
    if (step.kind === 'curve' && !isGraduated) market.buyOnCurve(step.size)
    if (step.kind === 'more') market.open(1)
    market.act(step)
  }
  return market.facts
}

const signs: Readonly<Record<string, number>> = { buy: 1, sell: -1, nothing: 0 }
const changes: Readonly<Record<string, bigint>> = { add: 10n ** 20n, remove: -5n * 10n ** 18n }

class RandomMarket {
  readonly facts: ChainAFact[] = []
  readonly #opened = new Set<number>()
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
    this.#opened.add(index)
    this.facts.push(buildPoolCreated({ pool: poolOf(index), ...this.place() }))
    this.facts.push(buildLiquidityChanged({ pool: poolOf(index), liquidityDelta: 10n ** 20n, ...this.place() }))
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
    const liquidityDelta = changes[its]
    if (liquidityDelta !== undefined) this.facts.push(buildLiquidityChanged({ liquidityDelta, ...place }))
  }
}

export const senderOf = (txHash: string): Hex => buildAddress(Number(BigInt(txHash) % 5n))

/** How the log is cut: a tick follows after so many milliseconds, and the post is in the first one so long after it. */
export type Delivery = Readonly<{ tickMs: number; delayMs: number; isRestarted: boolean }>

export const delivery: fc.Arbitrary<Delivery> = fc.record({
  tickMs: fc.constantFrom(1000, 7000, 60_000, 300_000),
  delayMs: fc.oneof(fc.integer({ min: -60_000, max: 20_000 }), fc.integer({ min: 0, max: 900_000 })),
  isRestarted: fc.boolean(),
})

type Told = Readonly<{ record: ChainADerived; tickAtMs: number }>

/** What the stage says of the post, with the time of the tick that it was said in. Senders are answered a tick later. */
export function tell(facts: readonly ChainAFact[], postedAtMs: number, delivery: Delivery): readonly Told[] {
  const driver = createTestDriver(chainA)
  const knownAtMs = Math.max(second(0), postedAtMs + delivery.delayMs)
  let next = 0
  return instantsOf(postedAtMs, knownAtMs, delivery.tickMs).flatMap((tickAtMs, index) => {
    for (let fact = facts[next]; fact !== undefined && fact.data.blockAtMs <= tickAtMs; fact = facts[++next])
      driver.fact(testToken, fact)
    if (tickAtMs === knownAtMs) driver.answer(testToken, buildMention({ postedAtMs }))
    const closed = driver.tick(tickAtMs)
    if (delivery.isRestarted && index % 37 === 0) driver.restart()
    for (const answer of closed.flatMap(({ record }) => answersTo(record))) driver.answer(testToken, answer)
    return closed.map(({ record }) => ({ record, tickAtMs }))
  })
}

/** A tick at regular times, one that the post is known in, and some after all that is said of it. */
function instantsOf(postedAtMs: number, knownAtMs: number, tickMs: number): readonly number[] {
  const endMs = postedAtMs + 3_900_000
  const instants = new Set([knownAtMs, endMs, endMs + 60_000])
  for (let atMs = second(0) + tickMs; atMs < endMs; atMs += tickMs) instants.add(atMs)
  return [...instants].sort((left, right) => left - right)
}

function answersTo(record: ChainADerived) {
  if (record.type !== 'PrecallSendersAsked') return []
  const { questionId, revision, txHashes } = record.data
  const senders = txHashes.map((txHash) => ({ txHash, sender: senderOf(txHash) }))
  return [buildSendersAnswered({ questionId, revision, senders })]
}
