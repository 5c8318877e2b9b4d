/**
 * A gap is a place where swaps are missing from the facts. This test compares the gaps that the stage of
 * chain A finds with those of independent code.
 */
import assert from 'node:assert/strict'
import { expect } from 'chai'
import fc from 'fast-check'
import { gaps } from '../../../../processors/chain-a/gaps/processor.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import type { TradeGap } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { testToken } from '../../../support/builders/build-facts.ts'
import { contractFacts } from '../../../support/contract-facts.ts'
import { type OracleGap, poolGapsOf } from '../../../support/oracle/pool-gaps.ts'
import { randomPools } from './random-pools.ts'

function derivedOf(facts: readonly ChainAFact[]): readonly TradeGap[] {
  const driver = createTestDriver({ stage: chainAStage, processors: [pools, gaps] })
  for (const fact of facts) driver.fact(testToken, fact)
  driver.tick(facts.at(-1)?.data.blockAtMs ?? 0)
  return driver.outputs().flatMap(({ record }) => (record.type === 'TradeGap' ? [record.data] : []))
}

const nameOf = ({ pool, txHash, logIndex }: TradeGap): string => `${pool} ${txHash} ${logIndex}`

/**
 * Returns the derived gap. Takes over the volume of the independent code if only the rounding of doubles
 * explains the difference.
 */
function withVolumeOf(gap: TradeGap, { volumeRaw, roundingWei }: OracleGap): TradeGap {
  if (gap.volumeRaw === null || volumeRaw === null) return gap
  const missed = gap.volumeRaw - volumeRaw
  return -roundingWei <= missed && missed <= roundingWei ? { ...gap, volumeRaw } : gap
}

function compare(facts: readonly ChainAFact[]): readonly TradeGap[] {
  const derived = derivedOf(facts)
  const counted = poolGapsOf(facts)
  const byName = new Map(counted.map((gap) => [nameOf(gap), gap]))
  const shown = derived.map((gap) => {
    const other = byName.get(nameOf(gap))
    return other === undefined ? gap : withVolumeOf(gap, other)
  })
  const sorted = (all: readonly TradeGap[]) => all.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  assert.deepEqual(sorted(shown), sorted(counted.map(({ roundingWei, ...gap }) => gap)))
  return derived
}

describe('the gaps of chain A', () => {
  it('are those of a recount in random pools whose log lacks swaps', () =>
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        compare(randomPools(seed))
      }),
      { numRuns: 20, endOnFailure: true },
    ))

  it('are those of a recount in the market of the contracts without every seventh swap', () => {
    const facts = contractFacts().map(({ fact }) => fact)
    const found = compare(facts.filter(({ type }, index) => type !== 'Swap' || index % 7 > 0))
    expect(found.length).to.be.above(50)
  })
})
