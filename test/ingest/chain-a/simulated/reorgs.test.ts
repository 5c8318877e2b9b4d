import { expect } from 'chai'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { chainADefinition } from '../../../../ingest/chain-a/definition.ts'
import type { TokenFact } from '../../../../ingest/chain-a/types.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../../ingest/publish.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { readCanonicalFacts } from '../../canonical-facts.ts'
import { bookOf, factsOf, hourMs, rangesOf, textOf } from './tell.ts'

const fromMs = Date.UTC(2026, 8, 1)
const reorgs = { seed: 3, everySec: 40, depthMax: 12 }
const calm = { seed: 1, fromMs, toMs: fromMs + hourMs }
const told = { ...calm, reorgs }

const swapsOf = (facts: readonly Pick<TokenFact, 'fact'>[]) =>
  new Map(facts.flatMap(({ fact }) => (fact.type === 'Swap' ? [[fact.data.txHash, fact.data]] : [])))

describe('the simulated chain that leaves its branch', () => {
  it('leaves in the log all trades but those dropped, some of them later than they were told first', async () => {
    const log = createHoledLog({ nowMs: () => fromMs })
    const codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
    const publisher = await createChainPublisher({
      ...{ chain: chainADefinition, kind: 'simulated', log, codecs },
      nowMs: () => fromMs,
    })
    for (const range of await rangesOf(told)) await publisher.publish(range, null)
    const canonical = await readCanonicalFacts(log, codecs)
    expect(canonical.ticks.filter(({ revertedFrom }) => revertedFrom !== null)).to.have.length(89)
    expect(new Set(canonical.ids).size).to.equal(canonical.ids.length)

    const first = swapsOf(factsOf(await rangesOf(calm)))
    const last = swapsOf(canonical.facts.map((fact) => ({ fact })))
    const dropped = [...first.keys()].filter((hash) => !last.has(hash)).length
    const moved = [...last].filter(
      ([hash, { blockAtMs }]) => blockAtMs > (first.get(hash)?.blockAtMs ?? Infinity),
    ).length
    const again = [...last].filter(([hash, { blockAtMs, blockHash }]) => {
      const before = first.get(hash)
      return before?.blockAtMs === blockAtMs && before.blockHash !== blockHash
    }).length
    expect(last.size + dropped).to.equal(first.size)
    expect(Math.min(dropped, moved, again)).to.be.greaterThan(10)
  })

  it('goes on from any cursor as if it had never stopped', async () => {
    const short = { ...told, toMs: fromMs + hourMs / 8, rangeSec: 7 }
    const whole = await rangesOf(short)
    // Includes stops directly after a reorg. The resumed source must then find the facts that the reorg
    // replaced.
    const reorgs = whole.flatMap(({ revertedFrom, facts }, index) => (revertedFrom && facts.length > 0 ? [index] : []))
    expect(reorgs).to.have.length.above(2)
    const stops = whole.flatMap((_, index) => (index % 7 === 1 ? [index] : []))
    for (const stop of [...stops, ...reorgs.slice(0, 4)]) {
      const before = whole.slice(0, stop)
      const rest = await rangesOf({ ...short, rangeSec: 7 }, before.at(-1)!.head, bookOf(before))
      expect(textOf(rest)).to.equal(textOf(whole.slice(stop)))
      expect(rest.map(({ revertedFrom }) => revertedFrom)).to.deep.equal(
        whole.slice(stop).map((range) => range.revertedFrom),
      )
    }
  })
})
