/** Markets of which nothing is missing: the contracts' own on a local node, and the simulated one. */
import { expect } from 'chai'
import { decodeLogs } from '../../../../ingest/chain-a/decode/decode-logs.ts'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import type { TokenFact } from '../../../../ingest/chain-a/types.ts'
import { gaps } from '../../../../processors/chain-a/gaps/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { factsOf, hourMs, rangesOf } from '../../../ingest/chain-a/simulated/tell.ts'
import { bookWith } from '../../../ingest/known-of.ts'
import { buildHash } from '../../../support/build-facts.ts'
import { readMarketFixture } from '../../../support/oracle/market-fixture.ts'

type Kept = (fact: TokenFact['fact'], index: number) => boolean

/** How many swaps the log has, how many it lacks, and how many gaps they show. */
function countGaps(facts: readonly TokenFact[], isKept: Kept = () => true) {
  const driver = createTestDriver({ stage: chainAStage, processors: [gaps] })
  const swaps = facts.filter(({ fact }) => fact.type === 'Swap').length
  const kept = facts.filter(({ fact }, index) => fact.type !== 'Swap' || isKept(fact, index))
  for (const { key, fact } of kept) driver.fact(key, fact)
  driver.tick(facts.at(-1)?.fact.data.blockAtMs ?? 0)
  return { swaps, missing: facts.length - kept.length, gaps: driver.outputs().length }
}

const everyFiftieth: Kept = (_, index) => index % 50 !== 0

/** Decoded as ingest decodes them. */
function contractFacts(): readonly TokenFact[] {
  const { recording } = readMarketFixture()
  // The recording leaves out what no answer needs.
  const logs = recording.logs.map((log) => ({
    ...log,
    blockHash: buildHash(Number(log.blockNumber)),
    transactionIndex: '0x0',
  }))
  const { facts, rejections } = decodeLogs(logs as unknown as readonly RawLog[], {
    contracts: Object.fromEntries(
      Object.entries(recording.contracts).map(([name, address]) => [name, address.toLowerCase()]),
    ) as typeof recording.contracts,
    book: bookWith(),
    curves: { launchpads: [], found: new Map(), isRefused: () => false },
    blockAtMsOf: (log) => Number((log as unknown as { blockTimestamp: string }).blockTimestamp) * 1000,
  })
  expect(rejections.map(({ reason }) => reason)).to.deep.equal([])
  return facts
}

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
