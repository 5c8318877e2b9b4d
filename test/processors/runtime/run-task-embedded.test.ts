import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEmbeddedRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { chainA } from '../../../processors/stages.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { withoutFence } from '../../proofs/crash/sabotage.ts'
import { type KeyedRecord, lastSeqOf } from '../../replay/keyed-record.ts'
import { marketFacts } from '../../replay/market/market-facts.ts'
import { everyMs, recut } from '../../replay/recut.ts'
import { withReorgs } from '../../replay/reorgs/with-reorgs.ts'
import { appendFacts, derivedBytes, type OpenStage, openStage, readAll, runUntil } from '../../replay/stage-log.ts'
import { wakeLate } from '../../replay/wake-late.ts'

const partition = 1
// The simulated trades have one tick per ten minutes, because each tick costs several commits to disk. The
// two reorgs come one after the other.
const plan = { shortBy: 30, fates: ['same', 'dropped', { laterBy: 9 }], isRehashed: true } as const
const records = withReorgs(chainA.stage, recut(marketFacts(7, 2), everyMs(600_000)), [
  { ...plan, ofTicks: 400, depth: 900 },
  { ...plan, ofTicks: 500, depth: 1500 },
])
const lastSeq = lastSeqOf(records)
const upTo = (seq: number) => 1 + records.findIndex(({ record }) => record.type === 'Tick' && record.data.seq === seq)

describe('a stage task on the embedded log', () => {
  let dataDir: string
  let log: Log
  let stage: OpenStage<ChainATypes>
  let closeRegistry: () => Promise<void>
  const nowMs = () => Date.UTC(2026, 0, 2)

  const open = async () => {
    log = await createEmbeddedLog({ dataDir, nowMs })
    const registry = await createEmbeddedRegistry({ dataDir })
    closeRegistry = () => registry.close()
    stage = await openStage(chainA, registry)
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
    runUntil({ ...stage, partition }, seq, { log, snapshotEveryMs })
  const append = (part: readonly KeyedRecord<ChainATypes>[]) => appendFacts({ ...stage, log, partition }, part)

  const inMemory = async () => {
    const memory = createMemoryLog({ nowMs })
    const inMemoryStage = await openStage(chainA)
    await appendFacts({ ...inMemoryStage, log: memory, partition }, records)
    await runUntil({ ...inMemoryStage, partition }, lastSeq, { log: memory })
    return derivedBytes(memory, chainA.stage, partition)
  }

  it('derives the bytes that it derives in memory', async () => {
    await append(records)
    await run(lastSeq)
    expect(await derivedBytes(log, chainA.stage, partition)).to.deep.equal(await inMemory())
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
    expect(await derivedBytes(log, chainA.stage, partition)).to.deep.equal(await inMemory())
    const kept = (await readAll(log, 'snapshots', 0)).filter(({ key }) => key.endsWith('manifest'))
    expect(kept.filter(({ value }) => value !== null)).to.have.length(3)
  })

  describe('that wakes after a later one did its work', () => {
    const woken = async (seenBy: (log: Log) => Log) => {
      await append(records)
      const seen = seenBy(log)
      return wakeLate({ open: stage, partition, lastSeq, logs: [seen, seen] })
    }

    it('is refused, and every record stands once', async () => {
      expect(await woken((whole) => whole)).to.equal('writer_fenced')
      expect(await derivedBytes(log, chainA.stage, partition)).to.deep.equal(await inMemory())
    })

    it('would write records a second time if its writer were not fenced', async () => {
      expect(await woken(withoutFence)).to.equal(null)
      const [derived, expected] = [await derivedBytes(log, chainA.stage, partition), await inMemory()]
      expect(derived.slice(0, expected.length)).to.deep.equal(expected)
      expect(derived.length).to.be.greaterThan(expected.length)
    })
  })
})
