/** The proofs of this folder have teeth: what they compare is equal, and differs once a promise is taken away. */

import { expect } from 'chai'
import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { buildRange, buildSwap } from '../../ingest/build-range.ts'
import { readRecords } from '../../ingest/read-records.ts'
import { type Contents, differences, logContents } from './contents.ts'
import { deriveSpan, type Span, type SpanOptions } from './derive-span.ts'
import { hiding, withoutFence, writingTwice } from './sabotage.ts'

const hourMs = 3_600_000
const fromMs = Date.UTC(2026, 0, 1)
/** A reorg every twenty minutes; the last second is that of a range's end, so that a shorter span ends with a whole one. */
const spanOf = (hours: number): Span => ({
  ...{ seed: 7, fromMs, toMs: fromMs + hours * hourMs + 1000, rangeSec: 300 },
  reorgs: { seed: 1, everySec: 1200, depthMax: 900 },
})
const derivedOf = (contents: Contents): Contents =>
  Object.fromEntries(Object.entries(contents).filter(([name]) => name.startsWith('chain-a-derived')))

/** The kinds of rows that a reorg withdrew or changed. */
async function restatedTypes({ log, codecs }: World): Promise<string[]> {
  const records = await readRecords(log, 'chain-a-derived', codecs.derived)
  const types = records.flatMap(({ record }) =>
    record?.type === 'Restated' || record?.type === 'Withdrawn' ? [record.data.recordType] : [],
  )
  return [...new Set(types)]
}

type World = Pick<SpanOptions, 'log' | 'codecs' | 'clock'>

async function createWorld(): Promise<World> {
  const clock = { atMs: fromMs }
  const registry = createMemoryRegistry()
  await prepareSchemas(registry, topics)
  return {
    clock,
    log: createMemoryLog({ nowMs: () => clock.atMs }),
    codecs: await createIngestCodecs(chainAStage, registry),
  }
}

describe('controls of the crash proofs', () => {
  let expected: Contents
  before(async () => {
    const world = await createWorld()
    await deriveSpan({ ...world, span: spanOf(2) })
    expected = await logContents(world.log)
    const answered = Object.values(expected).flat().length
    expect(answered, 'the span must hold something').to.be.greaterThan(2000)
    expect(await restatedTypes(world), 'of it restated').to.include.members(['Burst', 'SendersAsked'])
  })

  const deriveInTwoLives = async (secondLife: (log: Log) => Log) => {
    const world = await createWorld()
    await deriveSpan({ ...world, span: spanOf(1) })
    await deriveSpan({ ...world, span: spanOf(2), stageLog: secondLife(world.log) })
    return logContents(world.log)
  }

  it('a stage that is started again publishes what one that was never stopped does', async () => {
    expect(differences(expected, await deriveInTwoLives((log) => log))).to.deep.equal([])
  })

  it('a stage that does not see what it has published publishes it again', async () => {
    const found = differences(expected, await deriveInTwoLives((log) => hiding(log, 'chain-a-derived')))
    expect(found).to.have.length(topics['chain-a-facts'].partitionCount)
    expect(found[0]).to.match(/^chain-a-derived/)
  })

  describe('an ingest that wakes after another took over', () => {
    const lateAppend = async (log: Log, codecs: IngestCodecs) => {
      const options = {
        log,
        codecs,
        chain: chainADefinition,
        nowMs: () => fromMs,
      }
      const open = () => createChainPublisher({ ...options, kind: 'simulated' })
      const old = await open()
      await old.publish(buildRange(1, 2, { facts: [buildSwap(1, { blockNumber: 1 })] }), null)
      await (await open()).publish(buildRange(3, 4, { facts: [buildSwap(1, { blockNumber: 3 })] }), null)
      const before = await logContents(log)
      const failure = await old.publish(buildRange(3, 4, { facts: [buildSwap(1, { blockNumber: 3 })] }), null).then(
        () => null,
        (error) => error.code,
      )
      return { failure, found: differences(before, await logContents(log)) }
    }

    it('is refused, and the log stays as it was', async () => {
      const { log, codecs } = await createWorld()
      expect(await lateAppend(log, codecs)).to.deep.equal({ failure: 'writer_fenced', found: [] })
    })

    it('writes the same facts again where nobody is fenced', async () => {
      const { log, codecs } = await createWorld()
      const { failure, found } = await lateAppend(withoutFence(log), codecs)
      expect(failure).to.equal(null)
      expect(found).to.have.length(topics['chain-a-facts'].partitionCount)
    })
  })

  describe('run twice at the same time', () => {
    it('lookups change no derived record', async () => {
      const world = await createWorld()
      const log = withoutFence(world.log)
      await deriveSpan({ ...world, log, secondLookupLog: log, span: spanOf(2) })
      const contents = await logContents(world.log)
      expect(differences(derivedOf(expected), derivedOf(contents))).to.deep.equal([])
      // Both of them did answer.
      expect(differences(expected, contents).filter((text) => text.startsWith('chain-a-facts'))).not.to.deep.equal([])
    })

    it('takers of snapshots change no derived record, not even after a restart', async () => {
      const world = await createWorld()
      const stageLog = writingTwice(world.log, 'snapshots')
      for (const hours of [1, 2]) await deriveSpan({ ...world, span: spanOf(hours), stageLog })
      expect(differences(expected, await logContents(world.log))).to.deep.equal([])
      expect((await world.log.bounds('snapshots', 0)).endOffset).to.be.greaterThan(0)
    })
  })
})
