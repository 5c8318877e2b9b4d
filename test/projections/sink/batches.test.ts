import { expect } from 'chai'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { partitionOf } from '../../../infra/log/partition-of.ts'
import { chainAProjection } from '../../../projections/chain-a/projection.ts'
import { type Batches, type BatchLimits, createBatches } from '../../../projections/sink/batches.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import { address, buildBurst, buildTick, createDerivedLog, type DerivedLog, noonMs } from '../derived-log.ts'

const token = address(1)

const { name: topic, partitionCount } = chainAStage.derivedTopic
const all = Array.from({ length: partitionCount }, (_, partition) => partition)

describe('a batch of ticks', () => {
  let derived: DerivedLog
  let stop: AbortController

  beforeEach(async () => {
    derived = await createDerivedLog()
    stop = new AbortController()
  })

  const append = (seq: number, partitions: readonly number[]) => {
    const value = derived.encode('Tick', buildTick({ seq, knownAtMs: noonMs + seq, blockAtMs: noonMs }))
    return derived.append(partitions.map((partition) => ({ topic, partition, key: 'tick', value })))
  }
  async function open(
    limits: Partial<BatchLimits> = {},
    progress: Parameters<typeof createBatches>[1] = new Map(),
  ): Promise<Batches> {
    const codec = await createSchemaCodec<StageRecord>(chainAStage.derivedTopic, derived.registry)
    const source = { log: derived.log, codec, projection: chainAProjection, signal: stop.signal }
    return createBatches(source, progress, { rowCountMax: 1000, tickCountMax: 1000, ...limits })
  }
  const seqsOf = async (batches: Batches) =>
    (await batches.next())?.parts.map(({ partition, ticks }) => [partition, ticks.map(({ tick }) => tick.seq)])

  it('waits at the end of the log for the partitions that a tick has not come to yet', async () => {
    const batches = await open({ lateMsMax: 60_000 })
    await append(1, [0])
    const next = seqsOf(batches)
    for (const partition of all.slice(1)) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await append(1, [partition])
    }
    expect(await next).to.deep.equal(all.map((partition) => [partition, [1]]))
    expect(await seqsOf(batches)).to.equal(undefined)
  })

  it('takes a later tick with it that comes to some meanwhile, and waits for that as well', async () => {
    const batches = await open({ lateMsMax: 60_000 })
    await append(1, [0])
    const next = seqsOf(batches)
    await append(2, [0])
    await append(1, all.slice(1))
    await append(2, all.slice(1))
    const seqs = [...((await next) ?? []), ...((await seqsOf(batches)) ?? [])]
    for (const partition of all)
      expect(seqs.flatMap(([of, ticks]) => (of === partition ? ticks : []))).to.deep.equal([1, 2])
  })

  it('goes without a partition that does not get the tick in time', async () => {
    const batches = await open({ lateMsMax: 20 })
    await append(1, all.slice(1))
    expect(await seqsOf(batches)).to.deep.equal(all.slice(1).map((partition) => [partition, [1]]))
    await append(2, all.slice(1))
    await append(1, [0])
    expect(await seqsOf(batches)).to.deep.equal([[0, [1]], ...all.slice(1).map((partition) => [partition, [2]])])
  })

  it('tells for each table when its newest row became known, also of rows before it', async () => {
    const tick = (knownAtMs: number, bursts: number) =>
      derived.tick(
        knownAtMs,
        Array.from({ length: bursts }, () => [token, buildBurst()] as const),
      )
    const partition = partitionOf(token, partitionCount)
    const lastKnownAt = async (batches: Batches) => {
      const found = (await batches.next())?.parts.find((part) => part.partition === partition)
      return [found?.lastKnown.bursts, found?.lastKnown.pools]
    }
    const batches = await open()
    await tick(noonMs, 1)
    await tick(noonMs + 1, 0)
    expect(await lastKnownAt(batches)).to.deep.equal([noonMs, 0])
    await tick(noonMs + 2, 0)
    expect(await lastKnownAt(batches), 'a batch without bursts').to.deep.equal([noonMs, 0])
    const done = { seq: 0, knownAtMs: noonMs - 5, nextOffset: 0 }
    const goOn = async (lastKnown: Readonly<Record<string, number>>) =>
      lastKnownAt(await open({}, new Map([[partition, { done: { ...done, lastKnown }, plannedSeq: null }]])))
    expect(await goOn({ bursts: 3, pools: 4 })).to.deep.equal([noonMs, 4])
    expect(await goOn({}), 'after a version that did not tell').to.deep.equal([noonMs, noonMs - 5])
  })

  it('waits for nothing once it is told to stop', async () => {
    const batches = await open({ lateMsMax: 60_000 })
    await append(1, [1])
    const next = seqsOf(batches)
    stop.abort()
    expect(await next).to.deep.equal([[1, [1]]])
  })
})
