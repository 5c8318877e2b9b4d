import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEmbeddedRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { chainATopology } from '../../../processors/stages.ts'
import { marketFacts } from '../../replay/market-facts.ts'
import { everyMs, type KeyedRecord, recut } from '../../replay/recut.ts'
import { appendFacts, type Codecs, createCodecs, derivedBytes, readAll, runUntil } from '../../replay/stage-log.ts'
import { withReverts } from '../../replay/with-reverts.ts'

const partition = 1
// A tick for every ten minutes: each costs the disk a few commits. Two reverts of some minutes, one behind the other.
const plan = { shortBy: 30, fates: ['same', 'dropped', { laterBy: 9 }], isRehashed: true } as const
const records = withReverts(recut(marketFacts(7, 2), everyMs(600_000)), [
  { ...plan, ofTicks: 400, depth: 900 },
  { ...plan, ofTicks: 500, depth: 1500 },
])
const lastSeq = records.filter(({ record }) => record.type === 'Tick').length
const upTo = (seq: number) => 1 + records.findIndex(({ record }) => record.type === 'Tick' && record.data.seq === seq)

describe('a stage task on the embedded log', () => {
  let dataDir: string
  let log: Log
  let codecs: Codecs
  let closeRegistry: () => Promise<void>
  const nowMs = () => Date.UTC(2026, 0, 2)

  const open = async () => {
    log = await createEmbeddedLog({ dataDir, nowMs })
    const registry = await createEmbeddedRegistry({ dataDir })
    closeRegistry = () => registry.close()
    codecs = await createCodecs(registry)
  }
  const close = async () => {
    await log.close()
    await closeRegistry()
  }

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stage-'))
    await open()
  })
  afterEach(async () => {
    await close()
    await rm(dataDir, { recursive: true })
  })

  const run = (seq: number, snapshotEveryMs = Number.POSITIVE_INFINITY) =>
    runUntil({ codecs, partition }, seq, { log, processors: chainATopology, snapshotEveryMs })
  const append = (part: readonly KeyedRecord[]) => appendFacts({ log, codecs, partition }, part)

  const inMemory = async () => {
    const target = { log: createMemoryLog({ nowMs }), codecs: await createCodecs(), partition }
    await appendFacts(target, records)
    await runUntil(target, lastSeq, { log: target.log, processors: chainATopology })
    return derivedBytes(target.log, partition)
  }

  it('derives the bytes that it derives in memory', async () => {
    await append(records)
    await run(lastSeq)
    expect(await derivedBytes(log, partition)).to.deep.equal(await inMemory())
  })

  it('derives them after the log was closed and opened again, from the first fact and from snapshots', async () => {
    let from = 0
    for (const [at, seq] of [2, 7, lastSeq - 2, lastSeq].entries()) {
      await append(records.slice(from, upTo(seq)))
      from = upTo(seq)
      await run(seq, at % 2 === 0 ? 0 : Number.POSITIVE_INFINITY)
      await log.maintain(nowMs())
      await close()
      await open()
    }
    expect(await derivedBytes(log, partition)).to.deep.equal(await inMemory())
    const kept = (await readAll(log, 'snapshots', 0)).filter(({ key }) => key.endsWith('manifest'))
    expect(kept.filter(({ value }) => value !== null)).to.have.length(3)
  })
})
