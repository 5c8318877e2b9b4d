import { expect } from 'chai'
import { isOperationError } from '../../../../infra/errors.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { findBase } from '../../../../processors/runtime/restatement/fold-canonical.ts'
import { restate } from '../../../../processors/runtime/restatement/restate.ts'
import type { RestatedTick } from '../../../../processors/runtime/restatement/restated-tick.ts'
import { toChunks } from '../../../../processors/runtime/snapshots/snapshot-bytes.ts'
import { openSnapshotStore } from '../../../../processors/runtime/snapshots/snapshot-store.ts'
import { snapshotVersionOf, stateVersionOf } from '../../../../processors/runtime/task.ts'
import type { KeyedRecord } from '../../../replay/keyed-record.ts'
import { appendFacts, type OpenStage, openStage, silentLogger } from '../../../replay/stage-log.ts'
import { paidIn, toyTick } from '../../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyTopics } from '../../../replay/toy/toy-records.ts'
import { toy } from '../../../replay/toy/toy-stage.ts'
import { second } from '../../../support/builders/build-facts.ts'

const partition = 1

// The block number of each tick. Tick 6 replaces the blocks from 4 on, and tick 9 replaces block 6.
//   seq      1  2  3  4  5 │ 6  7  8 │ 9
//   block    1  2  3  4  5 │ 4  5  6 │ 6
// Each tick has two records, a payment and the tick itself. So offset 2 · seq comes after tick seq.
const blocks = [1, 2, 3, 4, 5, 4, 5, 6, 6]
const reorgs: Readonly<Record<number, number>> = { 6: 4, 9: 6 }

const facts = blocks.flatMap((blockNumber, at): KeyedRecord<ToyTypes>[] => {
  const seq = at + 1
  const block = { blockNumber, blockAtMs: second(blockNumber) }
  const revertedFrom = reorgs[seq] ?? null
  return [
    { key: 'ada', record: paidIn(block) },
    { key: 'tick', record: { type: 'Tick', data: toyTick({ ...block, seq, revertedFrom }) } },
  ]
})

const second9: RestatedTick = { seq: 9, revertedFrom: 6, offset: 17, mayMissFacts: false }
const bothReorgs = [
  { revertedFrom: 4, fromOffset: 10 },
  { revertedFrom: 6, fromOffset: 16 },
]

describe('the state that a reorg is folded from', () => {
  let open: OpenStage<ToyTypes>
  let log: Log
  before(async () => {
    open = await openStage(toy, undefined, toyTopics)
  })
  beforeEach(async () => {
    log = createMemoryLog({ nowMs: () => 0, topicTable: toyTopics })
    await appendFacts({ ...open, log, partition }, facts)
  })

  const dependencies = () => ({ ...open, log, nowMs: () => 0, logger: silentLogger, snapshotEveryMs: 0 })
  type Codes = Readonly<{ rulesVersion?: string; stateVersion?: string }>
  const save = async (seqs: readonly number[], codes: Codes = {}) => {
    const store = await openSnapshotStore({ ...open, log, logger: silentLogger }, partition)
    for (const seq of seqs)
      await store.save(
        {
          seq,
          blockNumber: blocks[seq - 1] ?? 0,
          factsOffset: 2 * seq,
          derivedOffset: 100 + seq,
          rulesVersion: open.stage.rulesVersion,
          stateVersion: stateVersionOf(open.processors),
          ...codes,
        },
        await toChunks({ lastTick: toyTick({ seq }), dictionary: null, tokens: [] }),
      )
    await store.close()
  }
  const baseOf = async (restated: RestatedTick, of = log) => {
    const snapshots = await openSnapshotStore({ ...open, log, logger: silentLogger }, partition)
    const signal = new AbortController().signal
    const { walk: _, ...base } = await findBase(
      { dependencies: { ...dependencies(), log: of }, partition, snapshots, signal },
      restated,
    )
    return { factsOffset: base.factsOffset, derivedOffset: base.derivedOffset, reorgs: base.reorgs }
  }
  /** Returns the log as if retention had removed the facts before `offset`. */
  const without = (offset: number): Log => ({
    ...log,
    bounds: async (topic, of) => {
      const bounds = await log.bounds(topic, of)
      return topic === 'toy-facts' ? { ...bounds, startOffset: offset } : bounds
    },
  })

  it('is the first fact where there is no snapshot, with all reorgs up to its own', async () => {
    expect(await baseOf(second9)).to.deep.equal({ factsOffset: 0, derivedOffset: 0, reorgs: bothReorgs })
    expect(await baseOf({ ...second9, seq: 6, revertedFrom: 4, offset: 11 })).to.deep.equal({
      factsOffset: 0,
      derivedOffset: 0,
      reorgs: bothReorgs.slice(0, 1),
    })
  })

  const cases: [string, number[], number][] = [
    ['the newest before its own first block', [1, 2, 3], 3],
    ['none that an earlier reorg took a block of, though its own did not', [2, 3, 4, 5], 3],
    ['one taken since the earlier reorg', [3, 7], 7],
    ['none that holds its own first block', [3, 7, 8], 7],
  ]
  for (const [what, saved, seq] of cases)
    it(`is a snapshot: ${what}`, async () => {
      await save(saved)
      expect(await baseOf(second9)).to.deep.equal({
        factsOffset: 2 * seq,
        derivedOffset: 100 + seq,
        reorgs: seq < 6 ? bothReorgs : bothReorgs.slice(1),
      })
    })

  it('gives nothing to publish once the task is stopped', async () => {
    const snapshots = await openSnapshotStore({ ...open, log, logger: silentLogger }, partition)
    const parts = { dependencies: dependencies(), partition, snapshots }
    expect(await restate({ ...parts, signal: AbortSignal.abort() }, second9)).to.equal(null)
    expect(await restate({ ...parts, signal: new AbortController().signal }, second9)).to.not.equal(null)
  })

  it('is no snapshot of other code', async () => {
    for (const codes of [{ rulesVersion: 'toy-0' }, { stateVersion: 'balances@7 reminders@1' }]) await save([7], codes)
    expect(await baseOf(second9)).to.include({ factsOffset: 0 })
    await save([7])
    expect(await baseOf(second9)).to.include({ factsOffset: 14 })
  })

  it('is a snapshot of this code, also if an older version of the service wrote it', async () => {
    const plain = stateVersionOf(open.processors)
    for (const stateVersion of [
      plain,
      `${plain} serialized@1`,
      `${plain} serialized@2`,
      `${plain} serialized@3`,
      snapshotVersionOf(open.processors),
    ]) {
      await save([7], { stateVersion })
      expect(await baseOf(second9), stateVersion).to.include({ factsOffset: 14 })
    }
  })

  it('is no snapshot with facts behind it that are gone, but with a hole behind it', async () => {
    await save([3])
    const failed = await baseOf(second9, without(8)).catch((error: unknown) => error)
    expect(isOperationError(failed, 'reorg_too_deep')).to.equal(true)
    expect(failed).to.have.property('context').that.includes({ seq: 9, revertedFrom: 6, startOffset: 8, partition })
    expect(await baseOf({ ...second9, mayMissFacts: true }, without(8))).to.include({ factsOffset: 8 })
    expect(await baseOf(second9, without(6))).to.include({ factsOffset: 6, derivedOffset: 103 })
  })
})
