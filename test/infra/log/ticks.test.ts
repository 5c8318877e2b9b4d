import { expect } from 'chai'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../../infra/log/log.ts'
import { dataOf, scan } from '../../../infra/log/scan.ts'
import { offsetKnownAt, readLastTick } from '../../../infra/log/ticks.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import { buildRange, buildSwap } from '../../ingest/build-range.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'

describe('finding an offset by ticks', () => {
  let log: Log
  let codecs: IngestCodecs
  let nowMs = 0

  beforeEach(async () => {
    nowMs = 0
    log = createHoledLog({ nowMs: () => nowMs })
    codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
  })
  const reader = () => ({ log, topic: 'chain-a-facts', partition: 0, codec: codecs.facts }) as const

  it('finds no tick in an empty log', async () => {
    expect(await readLastTick(reader())).to.equal(null)
    expect(await offsetKnownAt(reader(), 5)).to.equal(0)
  })

  it('finds an offset before all ticks known since an instant, and not far before them', async () => {
    const publisher = await createChainPublisher({
      log,
      codecs,
      chain: chainADefinition,
      kind: 'chain',
      nowMs: () => nowMs,
    })
    // Pairs of ticks have the same time. Every third append also has a fact.
    for (let block = 1; block <= 900; block++) {
      nowMs = Math.floor(block / 2) * 1000
      const facts = block % 3 === 0 ? [buildSwap(1, { blockNumber: block })] : []
      await publisher.publish(buildRange(block, block, { facts }), null)
    }
    for (const sinceMs of [0, 1, 1000, 123_000, 123_500, 449_000, 450_000, 999_000]) {
      const offset = await offsetKnownAt(reader(), sinceMs)
      const seen: Tick[] = []
      await scan(reader(), offset, ({ value }) => {
        const tick = dataOf<Tick>(reader(), 'Tick', value)
        if (tick) seen.push(tick)
        return undefined
      })
      const wanted = 900 - Math.max(0, Math.ceil(sinceMs / 1000) * 2 - 1)
      expect(seen.filter((tick) => tick.knownAtMs >= sinceMs)).to.have.length(Math.max(0, wanted))
      expect(seen.length - Math.max(0, wanted), `read in vain before ${sinceMs}`).to.be.at.most(66)
    }
  })
})
