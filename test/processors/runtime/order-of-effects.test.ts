/**
 * A stage task has pairs of effects, such as writes, that must happen in a fixed order. These tests check the
 * order of each pair. See `infra/docs/order-of-effects.md`.
 */
import { expect } from 'chai'
import { isOperationError } from '../../../infra/errors.ts'
import type { Log, LogWriter, NewRecord } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { toChunks } from '../../../processors/runtime/snapshots/snapshot-bytes.ts'
import { openSnapshotStore } from '../../../processors/runtime/snapshots/snapshot-store.ts'
import { dayMs } from '../../../schemas/units.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import {
  appendFacts,
  derivedBytes,
  inBatchesOf,
  type OpenStage,
  openStage,
  type RunOptions,
  readAll,
  runUntil,
  silentLogger,
} from '../../replay/stage-log.ts'
import { paidIn, toyTick } from '../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage, toyTopics } from '../../replay/toy/toy-records.ts'
import { toy } from '../../replay/toy/toy-stage.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'
import { type Effects, expectOrder } from '../../support/effects/effects.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'

const partition = 2
const lastSeq = 6
const [stageId, snapshotsId] = [`stage-toy-${partition}`, `snapshots-toy-${partition}`]

type World = Readonly<{ log: Log }>

/**
 * One payment and one tick per block. The tick of block `revertedFrom` reports a reorg. The reorg replaces
 * only that block.
 */
const factsOf = ({ revertedFrom = null }: Readonly<{ revertedFrom?: number | null }> = {}) =>
  Array.from({ length: lastSeq }, (_, at): KeyedRecord<ToyTypes>[] => {
    const block = { blockAtMs: second(at + 1), blockNumber: at + 1 }
    const data = toyTick({ seq: at + 1, ...block, revertedFrom: revertedFrom === at + 1 ? revertedFrom : null })
    return [
      { key: 'ada', record: paidIn(block) },
      { key: 'tick', record: { type: 'Tick', data } },
    ]
  }).flat()

/** Returns the parts of snapshots that are still on the log. The keys are the `seq` of the snapshots' ticks. */
async function snapshotsOn(log: Log): Promise<ReadonlyMap<string, readonly string[]>> {
  const live = new Map((await readAll(log, 'snapshots', 0)).map(({ key, value }) => [key, value]))
  const parts = new Map<string, string[]>()
  for (const [key, value] of live) {
    const [, seq, part = ''] = key.split('/')
    if (value !== null && seq !== undefined) parts.set(seq, [...(parts.get(seq) ?? []), part])
  }
  return parts
}

const isManifest = (records: readonly NewRecord[]) => records.some(({ key }) => key.endsWith('/manifest'))

describe('the order of effects of a stage task', () => {
  let open: OpenStage<ToyTypes>
  before(async () => {
    open = await openStage(toy, undefined, toyTopics)
  })
  const logOf = async (records: readonly KeyedRecord<ToyTypes>[]) => {
    const log = createMemoryLog({ nowMs: () => 0, topicTable: toyTopics })
    await appendFacts({ ...open, log, partition }, records)
    return log
  }
  const run = (seq: number, options: RunOptions) => runUntil({ ...open, partition }, seq, options)
  const bytesOn = (log: Log) => derivedBytes(log, toyStage, partition)
  const inOneRun = async (records: readonly KeyedRecord<ToyTypes>[]) => {
    const log = await logOf(records)
    await run(lastSeq, { log })
    return { bytes: await bytesOn(log), records: await readAll(log, 'toy-derived', partition) }
  }

  it('fences the earlier run before it reads the last commit: no record comes twice', async () => {
    const whole = await inOneRun(factsOf())
    await expectOrder<World & { earlier: LogWriter }>({
      pairs: [
        ['fence the task', 'read the last commit'],
        ['read the last commit', 'commit'],
      ],
      begin: async () => {
        const log = inBatchesOf(await logOf(factsOf()), 1)
        await run(3, { log })
        return { log, earlier: await log.openWriter(stageId) }
      },
      // The earlier run tries to commit its next tick. The log may refuse the append.
      interrupt: async ({ log, earlier }) => {
        const committed = (await bytesOn(log)).length
        const end = whole.records.findIndex(({ key }, at) => at >= committed && key === 'tick')
        const next = whole.records.slice(committed, end + 1)
        await earlier
          .append(next.map(({ key, value }) => ({ topic: 'toy-derived', partition, key, value })))
          .catch(() => {})
      },
      run: ({ log }, effects) =>
        run(lastSeq, {
          log: recordedLog(log, effects, {
            openWriter: (id) => (id === stageId ? 'fence the task' : null),
            read: ({ topic }) => (topic === 'toy-derived' ? 'read the last commit' : null),
            append: (_, id) => (id === stageId ? 'commit' : null),
          }),
        }),
      leaves: async ({ log }) => expect(await bytesOn(log)).to.deep.equal(whole.bytes),
    })
  })

  it('fences the snapshots of the earlier run before it reads them: none is left behind unfinished', () =>
    expectOrder<World & { earlier: LogWriter }>({
      pairs: [
        ['fence the snapshots', 'read the snapshots'],
        ['read the snapshots', 'read the facts'],
      ],
      begin: async () => {
        const log = await logOf(factsOf())
        await run(3, { log, snapshotEveryMs: 0 })
        return { log, earlier: await log.openWriter(snapshotsId, { isTransactional: false }) }
      },
      interrupt: async ({ earlier }) => {
        const chunk = { topic: 'snapshots', partition: 0, key: `toy-${partition}/99/0`, value: Buffer.from('half') }
        await earlier.append([chunk]).catch(() => {})
      },
      run: ({ log }, effects) =>
        run(lastSeq, {
          log: recordedLog(log, effects, {
            openWriter: (id) => (id === snapshotsId ? 'fence the snapshots' : null),
            read: ({ topic }) => `read the ${topic === 'toy-facts' ? 'facts' : topic}`,
          }),
          snapshotEveryMs: 0,
        }),
      leaves: async ({ log }) => expect([...(await snapshotsOn(log)).keys()]).to.not.include('99'),
    }))

  /**
   * Returns the log without the facts of ticks 1 and 2. After a reorg on this log, a task without a snapshot
   * cannot compute its state again.
   */
  const withoutFirstFacts = (log: Log): Log => ({
    ...log,
    bounds: async (topic, of) => ({
      ...(await log.bounds(topic, of)),
      ...(topic === 'toy-facts' && { startOffset: 4 }),
    }),
  })
  /** Delays the writes of snapshots, so that the task reaches the next tick before the snapshot is written. */
  const withSlowSnapshots = (log: Log): Log => ({
    ...log,
    openWriter: async (id, options) => {
      const writer = await log.openWriter(id, options)
      const append: LogWriter['append'] = async (records) => {
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
        await writer.append(records)
      }
      return id === snapshotsId ? { ...writer, append } : writer
    },
  })

  // The facts of ticks 1 and 2 are gone. The task writes the snapshot of tick 3 slowly. Tick 4 reports a
  // reorg. The task then needs the finished snapshot of tick 3 to compute the new state.
  it('stores a snapshot before it restates: a reorg right after the first snapshot restates from it', async () => {
    const begin = async () => ({ log: withoutFirstFacts(await logOf(factsOf({ revertedFrom: 4 }))) })
    const { log: undisturbed } = await begin()
    await run(lastSeq, { log: undisturbed, snapshotEveryMs: 0 })
    const expected = await bytesOn(undisturbed)
    await expectOrder<World>({
      pairs: [['store the snapshot of 3', 'read the facts after it']],
      interrupt: 'crash',
      begin,
      run: ({ log }, effects) => {
        const recorded = recordedLog(log, effects, {
          append: (records) =>
            isManifest(records) && records[0]?.key.split('/')[1] === '3' ? 'store the snapshot of 3' : null,
          read: ({ topic, offset }) => (topic === 'toy-facts' && offset === 6 ? 'read the facts after it' : null),
        })
        return run(lastSeq, { log: withSlowSnapshots(recorded), snapshotEveryMs: 0 })
      },
      leaves: async ({ log }) => {
        await run(lastSeq, { log, snapshotEveryMs: 0 })
        expect(await bytesOn(log)).to.deep.equal(expected)
      },
    })
  })

  it('finishes its snapshot before it closes its writer: a stop leaves no unfinished one', () =>
    expectOrder<World>({
      pairs: [['store a chunk', 'store a manifest']],
      interrupt: 'abort',
      begin: async () => ({ log: await logOf(factsOf()) }),
      run: async ({ log }, effects) => {
        const recorded = recordedLog(log, effects, {
          append: (records, id) =>
            id === snapshotsId ? `store a ${isManifest(records) ? 'manifest' : 'chunk'}` : 'commit',
        })
        await runStopping(withSlowSnapshots(recorded), effects)
      },
      leaves: async ({ log }) => {
        for (const [seq, parts] of await snapshotsOn(log)) expect(parts, `tick ${seq}`).to.include('manifest')
      },
    }))
  /** Runs the task to the last tick. After the abort, the log returns no more facts. */
  const runStopping = async (log: Log, { signal }: Effects) => {
    const seen: Log = {
      ...log,
      read: async (from, options) => (signal.aborted && from.topic === 'toy-facts' ? [] : log.read(from, options)),
    }
    await run(lastSeq, { log: seen, snapshotEveryMs: 0 })
  }

  it('restores no snapshot whose following facts retention has removed, and publishes nothing', async () => {
    let nowMs = 0
    const begin = async () => {
      nowMs = 0
      const log = createMemoryLog({ nowMs: () => nowMs, topicTable: toyTopics })
      const facts = factsOf()
      await appendFacts({ ...open, log, partition }, facts.slice(0, 8))
      await run(3, { log, snapshotEveryMs: 0 })
      nowMs = 8 * dayMs
      await appendFacts({ ...open, log, partition }, facts.slice(8))
      return { log, left: await bytesOn(log) }
    }
    const retained = async (log: Log) => {
      await log.maintain(nowMs)
      const failure = await run(lastSeq, { log }).catch((error: unknown) => error)
      expect(isOperationError(failure, 'offset_out_of_range') && failure.context).to.include({ factsOffset: 6 })
    }
    const { log, left } = await begin()
    await retained(log)
    expect(await bytesOn(log)).to.deep.equal(left)
  })
})

describe('the order of effects of a snapshot store', () => {
  const seqs = [1001, 1002, 1003, 1004, 1005]
  const manifest = (seq: number) => ({
    ...{ seq, blockNumber: seq, factsOffset: seq, derivedOffset: seq, rulesVersion: 'a1', stateVersion: 'x@1' },
  })
  const chunksOf = async (seq: number) => {
    const [chunk = Buffer.alloc(0)] = await toChunks({ lastTick: buildTick({ seq }), dictionary: null, tokens: [] })
    return [chunk.subarray(0, 9), chunk.subarray(9)]
  }

  it('is chunks, manifest, older snapshots: every finished one is whole, and three are left', () =>
    expectOrder<World & { warned: string[] }>({
      pairs: seqs.flatMap((seq) => [
        [`store chunk 0 of ${seq}`, `store chunk 1 of ${seq}`] as const,
        [`store chunk 1 of ${seq}`, `finish ${seq}`] as const,
        ...(seq < 1003 ? [[`finish ${seq + 3}`, `drop the manifest of ${seq}`] as const] : []),
      ]),
      interrupt: 'crash',
      begin: () => ({ log: createMemoryLog({ nowMs: () => 0, topicTable: toyTopics }), warned: [] }),
      run: async ({ log }, effects) => {
        const append = ([record]: readonly NewRecord[]) => {
          const [, seq, part] = record?.key.split('/') ?? []
          if (record?.value === null) return `drop the ${part === 'manifest' ? part : 'chunks'} of ${seq}`
          return part === 'manifest' ? `finish ${seq}` : `store chunk ${part} of ${seq}`
        }
        const recorded = recordedLog(log, effects, { append })
        const store = await openSnapshotStore(
          { log: recorded, logger: silentLogger, stage: toyStage, reorgBlocksMax: 0 },
          partition,
        )
        for (const seq of seqs) await store.save(manifest(seq), await chunksOf(seq))
      },
      leaves: async ({ log, warned }, done) => {
        const logger = { info: () => {}, warn: (_: unknown, text?: string) => void warned.push(text ?? '') }
        const store = await openSnapshotStore({ log, logger: logger as never, stage: toyStage }, partition)
        const whole: number[] = []
        for (const seq of seqs) {
          const found = await store.newest(seq, () => true)
          if (found?.manifest.seq === seq) whole.push(seq)
        }
        expect(warned).to.deep.equal([])
        const finished = done.filter((name) => name.startsWith('finish')).length
        expect(whole.length).to.be.at.least(Math.min(3, finished))
        expect(whole.at(-1)).to.equal(finished === 0 ? undefined : 1000 + finished)
      },
    }))
})
