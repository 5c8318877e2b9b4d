/**
 * Shows that the proofs of this folder can fail. The compared contents are equal in a normal run. They differ
 * when a guarantee of the log is broken on purpose.
 */

import { expect } from 'chai'
import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { isMark } from '../../../schemas/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { buildRange, buildSwap } from '../../ingest/build-range.ts'
import { readRecords } from '../../ingest/read-records.ts'
import { type Contents, differences, logContents } from './contents.ts'
import { deriveSpan, type SpanOptions } from './derive-span.ts'
import { hiding, withoutFence, writingTwice } from './sabotage.ts'
import { chainA, chainB, type SimulatedChain, type Span } from './simulated-chains.ts'

const hourMs = 3_600_000
const fromMs = Date.UTC(2026, 0, 1)
/** The chain has a reorg every twenty minutes. */
const spanOf = (lengthMs: number): Span => ({
  ...{ seed: 7, fromMs, toMs: fromMs + lengthMs, rangeSec: 300 },
  reorgs: { seed: 1, everySec: 1200, depthMax: 900 },
})

type World = Required<Pick<SpanOptions, 'chain' | 'log' | 'codecs' | 'clock'>>

async function createWorld(chain: SimulatedChain): Promise<World> {
  const clock = { atMs: fromMs }
  const registry = createMemoryRegistry()
  await prepareSchemas(registry, topics)
  const log = createMemoryLog({ nowMs: () => clock.atMs })
  return { chain, clock, log, codecs: await createIngestCodecs(chain.runnable.stage, registry) }
}

const contentsOf = ({ log, chain }: Pick<World, 'log' | 'chain'>): Promise<Contents> =>
  logContents(log, [chain.runnable.stage])

/** Returns the types of derived rows that a reorg withdrew or replaced. */
async function restatedTypes({ log, codecs, chain }: World): Promise<string[]> {
  const records = await readRecords(log, chain.runnable.stage.derivedTopic, codecs.derived)
  const types = records.flatMap(({ record }) => (record && isMark(record) ? [record.data.recordType] : []))
  return [...new Set(types)]
}

/**
 * Two spans per chain. The shorter span ends at a reorg, and at the end of a block range of the longer span.
 * `question` is the record type of a lookup request.
 */
const subjects = [
  { chain: chainA, question: 'SendersAsked', spans: [spanOf(hourMs + 1000), spanOf(2 * hourMs + 1000)] },
  // Chain B has its first reorg 400 s after the start. Each of the two spans ends one slot after a reorg.
  {
    chain: chainB,
    question: 'HoldersAsked',
    spans: [spanOf(1_600_400), spanOf(3 * 1_200_000 + 400_400)],
  },
] as const

for (const { chain, question, spans } of subjects) {
  const [shorter, span] = spans
  const { name, factTopic, derivedTopic } = chain.runnable.stage
  const ofTopic = (contents: Contents, topic: string): Contents =>
    Object.fromEntries(Object.entries(contents).filter(([place]) => place.startsWith(topic)))

  describe(`controls of the crash proofs, over ${name}`, () => {
    let expected: Contents
    before(async () => {
      const world = await createWorld(chain)
      await deriveSpan({ ...world, span })
      expected = await contentsOf(world)
      expect(Object.values(expected).flat().length, 'the span must hold something').to.be.greaterThan(2000)
      expect(await restatedTypes(world), 'of it restated').to.include.members(['Burst', question])
    })

    const deriveInTwoLives = async (secondLife: (log: Log) => Log) => {
      const world = await createWorld(chain)
      await deriveSpan({ ...world, span: shorter })
      await deriveSpan({ ...world, span, stageLog: secondLife(world.log) })
      return contentsOf(world)
    }

    it('a stage that is started again publishes what one that was never stopped does', async () => {
      expect(differences(expected, await deriveInTwoLives((log) => log))).to.deep.equal([])
    })

    it('a stage that does not see what it has published publishes it again', async () => {
      const found = differences(expected, await deriveInTwoLives((log) => hiding(log, derivedTopic.name)))
      expect(found).to.have.length(derivedTopic.partitionCount)
      for (const text of found) expect(text.startsWith(derivedTopic.name)).to.equal(true)
    })

    it('lookups that run twice at the same time change no derived record', async () => {
      const world = await createWorld(chain)
      const log = withoutFence(world.log)
      await deriveSpan({ ...world, log, secondLookupLog: log, span })
      const contents = await contentsOf(world)
      const ofBoth = [expected, contents].map((each) => ofTopic(each, derivedTopic.name))
      expect(differences(...(ofBoth as [Contents, Contents]))).to.deep.equal([])
      // The facts differ, because two lookup programs answered the same requests.
      const facts = [expected, contents].map((each) => ofTopic(each, factTopic.name))
      expect(differences(...(facts as [Contents, Contents]))).not.to.deep.equal([])
    })

    it('takers of snapshots that run twice at the same time change no derived record, not even after a restart', async () => {
      const world = await createWorld(chain)
      const stageLog = writingTwice(world.log, 'snapshots')
      for (const its of spans) await deriveSpan({ ...world, span: its, stageLog })
      expect(differences(expected, await contentsOf(world))).to.deep.equal([])
      expect((await world.log.bounds('snapshots', 0)).endOffset).to.be.greaterThan(0)
    })
  })
}

describe('controls of the crash proofs, an ingest that wakes after another took over', () => {
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
    const before = await contentsOf({ log, chain: chainA })
    const failure = await old.publish(buildRange(3, 4, { facts: [buildSwap(1, { blockNumber: 3 })] }), null).then(
      () => null,
      (error) => error.code,
    )
    return { failure, found: differences(before, await contentsOf({ log, chain: chainA })) }
  }

  it('is refused, and the log stays as it was', async () => {
    const { log, codecs } = await createWorld(chainA)
    expect(await lateAppend(log, codecs)).to.deep.equal({ failure: 'writer_fenced', found: [] })
  })

  it('writes the same facts again where nobody is fenced', async () => {
    const { log, codecs } = await createWorld(chainA)
    const { failure, found } = await lateAppend(withoutFence(log), codecs)
    expect(failure).to.equal(null)
    expect(found).to.have.length(topics['chain-a-facts'].partitionCount)
  })
})
