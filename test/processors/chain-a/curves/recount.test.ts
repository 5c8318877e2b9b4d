import { expect } from 'chai'
import fc from 'fast-check'
import { curves } from '../../../../processors/chain-a/curves/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
} from '../../../support/builders/build-curves.ts'
import { buildAddress, second, testToken, weiOf } from '../../../support/builders/build-facts.ts'
import { publishedCurves } from '../../../support/oracle/launch-curves.ts'

const otherCurve = buildAddress(0xce)
const [dayMs, weekMs] = [86_400_000, 7 * 86_400_000]

const step = fc.record({
  gapMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 15_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(dayMs, weekMs - 1000, weekMs, weekMs + 1000) },
  ),
  kind: fc.constantFrom('trade', 'trade', 'trade', 'trade', 'launch', 'find', 'complete', 'graduate'),
  isOther: fc.nat(9).map((number) => number === 0),
  milliEth: fc.integer({ min: -900, max: 900 }),
  /** The tax in half basis points. */
  tax: fc.nat(400),
})
type Step = typeof step extends fc.Arbitrary<infer Its> ? Its : never

const tickSteps = fc.array(fc.constantFrom(1000, 10_000, 10_001, 3_600_000), { maxLength: 3 })

/** Builds the facts. A graduation is the last event of a curve, so the next fact is in a new block. */
function factsOf(steps: readonly Step[]) {
  let atMs = second(0)
  let blockNumber = 1
  return steps.map(({ gapMs, kind, isOther, milliEth, tax }, index) => {
    const waitMs = steps[index - 1]?.kind === 'graduate' ? Math.max(gapMs, 1) : gapMs
    atMs += waitMs
    if (waitMs > 0) blockNumber++
    const place = { blockAtMs: atMs, blockNumber, ...(isOther && { curve: otherCurve }) }
    if (kind === 'launch') return buildCurveLaunched(place)
    if (kind === 'find') return buildCurveFound({ ...place, launchAtMs: second(-9), reserveWei: weiOf(2) })
    if (kind === 'complete') return buildCurveCompleted(place)
    if (kind === 'graduate') return buildCurveGraduated(place)
    const taxWei = (weiOf(Math.abs(milliEth) / 1000) * BigInt(tax)) / 20_000n
    return buildCurveTraded({ ...place, eth: milliEth / 1000, taxWei })
  })
}

/**
 * The fee of a curve is the median of its last buys. There are more buys here than the median covers, and the
 * earliest have the highest fees.
 */
const buys: readonly Step[] = Array.from({ length: 40 }, (_, index) => {
  return { gapMs: 20_000, kind: index === 0 ? 'launch' : 'trade', isOther: false, milliEth: 1, tax: 400 - 7 * index }
})

describe('what is published of curves', () => {
  it('is what a slow recount says, over random lives and ticks', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), tickSteps, (steps, ticks) => {
        const facts = factsOf(steps)
        const driver = createTestDriver({ stage: chainAStage, processors: [curves] })
        for (const fact of facts) driver.fact(testToken, fact)
        let atMs = facts.at(-1)?.data.blockAtMs ?? 0
        const tickAtMs = [...ticks, 9 * weekMs].map((waitMs) => (atMs += waitMs))
        for (const each of tickAtMs) driver.tick(each)
        const published = driver.outputs().map(({ record }) => record)
        expect(published).to.deep.equal(publishedCurves(facts, tickAtMs))
        expect(driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
      }),
      { numRuns: 150, examples: [[[...buys], []]] },
    )
  })
})
