import { expect } from 'chai'
import type { Log } from '../../../infra/log/log.ts'
import { openSnapshotStore, type SnapshotStore } from '../../../processors/runtime/snapshot-store.ts'
import { SnapshotTaker } from '../../../processors/runtime/snapshot-taker.ts'
import type { StageDependencies } from '../../../processors/runtime/task.ts'
import { createWalk } from '../../../processors/runtime/walk.ts'
import { openStage, silentLogger } from '../../replay/stage-log.ts'
import { toyTick } from '../../replay/toy-facts.ts'
import { toyTopics } from '../../replay/toy-records.ts'
import { toy } from '../../replay/toy-stage.ts'
import { createHoledLog } from '../../support/holed-log.ts'

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
    expect(other.isDue()).to.equal(true)
    await one.take(standing(), 0)
    expect(other.isDue()).to.equal(false)
    finishSaving()
    await one.settle()
    expect(other.isDue()).to.equal(true)
  })

  it('are taken by one of those that are due at the same tick, and by the others later', async () => {
    const saved: number[] = []
    const saving = (partition: number) => () => {
      saved.push(partition)
      return slow()
    }
    const [one, other] = [await takerOf(0, saving(0)), await takerOf(1, saving(1))]
    expect([one.isDue(), other.isDue()]).to.deep.equal([true, true])
    await Promise.all([one.take(standing(), 0), other.take(standing(), 0)])
    expect(saved).to.deep.equal([0])
    finishSaving()
    await one.settle()
    expect(other.isDue()).to.equal(true)
    await other.take(standing(), 0)
    expect(saved).to.deep.equal([0, 1])
    finishSaving()
    await other.settle()
  })

  it('go on after one that could not be written, or not even be copied', async () => {
    const [one, other] = [await takerOf(0, () => Promise.reject(new Error('full'))), await takerOf(1)]
    await one.take(standing(), 0)
    await one.settle()
    expect(other.isDue()).to.equal(true)
    Object.assign(log, { bounds: () => Promise.reject(new Error('away')) })
    expect(await one.take(standing(), 0).catch(({ message }) => message), 'the failure is thrown').to.equal('away')
    expect(other.isDue()).to.equal(true)
  })
})
