/**
 * A gap is a place in the facts where swaps are missing. This test checks that complete data shows no gaps.
 * One log is from contracts on a local node, and the other is simulated.
 */
import { expect } from 'chai'
import type { TokenFact } from '../../../../ingest/chain-a/types.ts'
import { gaps } from '../../../../processors/chain-a/gaps/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { factsOf, hourMs, rangesOf } from '../../../ingest/chain-a/simulated/tell.ts'
import { contractFacts } from '../../../support/contract-facts.ts'

type Kept = (fact: TokenFact['fact'], index: number) => boolean

/**
 * Returns the number of swaps, the number of swaps that `isKept` leaves out, and the number of gaps that the
 * stage finds.
 */
function countGaps(facts: readonly TokenFact[], isKept: Kept = () => true) {
  const driver = createTestDriver({ stage: chainAStage, processors: [gaps] })
  const swaps = facts.filter(({ fact }) => fact.type === 'Swap').length
  const kept = facts.filter(({ fact }, index) => fact.type !== 'Swap' || isKept(fact, index))
  for (const { key, fact } of kept) driver.fact(key, fact)
  driver.tick(facts.at(-1)?.fact.data.blockAtMs ?? 0)
  return { swaps, missing: facts.length - kept.length, gaps: driver.outputs().length }
}

const everyFiftieth: Kept = (_, index) => index % 50 !== 0

describe('gaps in markets of which nothing is missing', () => {
  it('are none in that of the contracts, with hooks, both versions and liquidity that comes and goes', () => {
    const facts = contractFacts()
    const { swaps, gaps: found } = countGaps(facts)
    expect(swaps).to.be.greaterThan(500)
    expect(found).to.equal(0)
    const { missing, gaps: shown } = countGaps(facts, everyFiftieth)
    expect(shown / missing).to.be.within(0.85, 1)
  })

  it('are none in the simulated one', async () => {
    const fromMs = Date.UTC(2026, 10, 20, 3, 0, 11)
    const facts = factsOf(await rangesOf({ seed: 7, fromMs, toMs: fromMs + 7 * hourMs, launchesPerDay: 240 }))
    const { swaps, gaps: found } = countGaps(facts)
    expect(swaps).to.be.greaterThan(10_000)
    expect(found).to.equal(0)
    const { missing, gaps: shown } = countGaps(facts, everyFiftieth)
    expect(shown / missing).to.be.within(0.95, 1)
  })
})
