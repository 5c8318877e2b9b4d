import { expect } from 'chai'
import type { Log } from '../../../../infra/log/log.ts'
import { openSnapshotStore, type SnapshotStore } from '../../../../processors/runtime/snapshots/snapshot-store.ts'
import { SnapshotTaker } from '../../../../processors/runtime/snapshots/snapshot-taker.ts'
import type { StageDependencies } from '../../../../processors/runtime/task.ts'
import { createWalk } from '../../../../processors/runtime/walk.ts'
import { openStage, silentLogger } from '../../../replay/stage-log.ts'
import { toyTick } from '../../../replay/toy/toy-facts.ts'
import { toyTopics } from '../../../replay/toy/toy-records.ts'
import { toy } from '../../../replay/toy/toy-stage.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'

describe('the snapshots of the tasks of a thread', () => {
  let log: Log
  let dependencies: StageDependencies
  let finishSaving: () => void
  beforeEach(async () => {
    log = createHoledLog({ nowMs: () => 0, topicTable: toyTopics })
    dependencies = {
      ...(await openStage(toy, undefined, toyTopics)),
      ...{ log, logger: silentLogger },
      nowMs: () => 0,
      snapshotEveryMs: 0,
      snapshotTurn: { isTaken: false },
    }
  })

  const standing = () => {
    const walk = createWalk(toy)
    walk.onTick(toyTick())
    return walk
  }
  const takerOf = async (partition: number, save?: SnapshotStore['save']) => {
    const store = await openSnapshotStore(dependencies, partition)
    return new SnapshotTaker(dependencies, partition, save ? { ...store, save } : store)
  }
  const slow = () =>
    new Promise<void>((resolve) => {
      finishSaving = resolve
    })

  it('are taken one after the other: nobody copies a state while another copy is being written', async () => {
    const [one, other] = [await takerOf(0, slow), await takerOf(1)]
    expect(other.isDue(0)).to.equal(true)
    await one.take(standing(), 0)
    expect(other.isDue(0)).to.equal(false)
    finishSaving()
    await one.settle()
    expect(other.isDue(0)).to.equal(true)
  })

  it('are taken by one of those that are due at the same tick, and by the others later', async () => {
    const saved: number[] = []
    const saving = (partition: number) => () => {
      saved.push(partition)
      return slow()
    }
    const [one, other] = [await takerOf(0, saving(0)), await takerOf(1, saving(1))]
    expect([one.isDue(0), other.isDue(0)]).to.deep.equal([true, true])
    await Promise.all([one.take(standing(), 0), other.take(standing(), 0)])
    expect(saved).to.deep.equal([0])
    finishSaving()
    await one.settle()
    expect(other.isDue(0)).to.equal(true)
    await other.take(standing(), 0)
    expect(saved).to.deep.equal([0, 1])
    finishSaving()
    await other.settle()
  })

  it('are due every two minutes unless told otherwise, and never where that is told', async () => {
    const paced = (nowMs: () => number, snapshotEveryMs?: number) => {
      const { snapshotEveryMs: _, ...rest } = dependencies
      dependencies = { ...rest, nowMs, ...(snapshotEveryMs === undefined ? {} : { snapshotEveryMs }) }
      return takerOf(0, async () => {})
    }
    let now = 1_000
    const enoughFacts = 1_000
    const taker = await paced(() => now)
    const dueAt = (atMs: number) => {
      now = atMs
      return taker.isDue(enoughFacts)
    }
    expect([1_000, 120_999, 121_000].map(dueAt)).to.deep.equal([false, false, true])
    now = 130_000
    await taker.take(standing(), 0)
    await taker.settle()
    expect([130_000, 249_999, 250_000].map(dueAt)).to.deep.equal([false, false, true])
    const never = await paced(() => now, Number.POSITIVE_INFINITY)
    await never.dropReorged({ seq: 1, revertedFrom: 1 })
    expect(never.isDue(0)).to.equal(false)
  })

  it('are due only after one fact for each hundred bytes of the last one, or after thirty intervals', async () => {
    let now = 0
    let bytes = 0
    dependencies = { ...dependencies, nowMs: () => now, snapshotEveryMs: 120_000 }
    const taker = await takerOf(0, async (_, chunks) => {
      bytes = Buffer.concat(chunks).length
    })
    now = 120_000
    expect(taker.isDue(50), 'the first one').to.equal(true)
    await taker.take(standing(), 50)
    await taker.settle()
    const enough = 50 + Math.ceil(bytes / 100)
    expect(enough).to.be.greaterThan(51)
    const dueAfter = (atMs: number, offset: number) => {
      now = 120_000 + atMs
      return taker.isDue(offset)
    }
    expect(dueAfter(119_999, enough)).to.equal(false)
    expect(dueAfter(120_000, enough)).to.equal(true)
    expect(dueAfter(120_000, enough - 1)).to.equal(false)
    expect(dueAfter(30 * 120_000 - 1, enough - 1)).to.equal(false)
    expect(dueAfter(30 * 120_000, enough - 1)).to.equal(true)
  })

  it('are due at once after a reorg, though those of the abandoned branch could not be dropped', async () => {
    dependencies = { ...dependencies, snapshotEveryMs: 120_000 }
    const store = await openSnapshotStore(dependencies, 0)
    const dropReorged = () => Promise.reject(new Error('away'))
    const taker = new SnapshotTaker(dependencies, 0, { ...store, dropReorged })
    expect(taker.isDue(0)).to.equal(false)
    await taker.dropReorged({ seq: 1, revertedFrom: 1 })
    expect(taker.isDue(0)).to.equal(true)
  })

  it('are none of a state before its first tick', async () => {
    const taker = await takerOf(0, () => Promise.reject(new Error('not to be called')))
    await taker.take(createWalk(toy), 0)
    expect(taker.isDue(0)).to.equal(true)
  })

  it('go on after one that could not be written, or not even be copied', async () => {
    const [one, other] = [await takerOf(0, () => Promise.reject(new Error('full'))), await takerOf(1)]
    await one.take(standing(), 0)
    await one.settle()
    expect(other.isDue(0)).to.equal(true)
    expect(one.isDue(0), 'no facts are needed after a failure').to.equal(true)
    Object.assign(log, { bounds: () => Promise.reject(new Error('away')) })
    expect(await one.take(standing(), 0).catch(({ message }) => message), 'the failure is thrown').to.equal('away')
    expect(other.isDue(0)).to.equal(true)
  })
})
