/**
 * Makes a stage take as many snapshots per fact as in a live service, even if the stage reads the facts much
 * faster.
 */
import type { Log } from '../../../infra/log/log.ts'
import { partitionsOf, runStage } from '../../../processors/runtime/run-stage.ts'
import { createSnapshotIndex } from '../../../processors/runtime/snapshots/snapshot-index.ts'
import type { StageDependencies } from '../../../processors/runtime/task.ts'
import type { Tick } from '../../../schemas/tick.ts'

export type SnapshotCount = Readonly<{ taken: number; bytes: number }>

type PacedTask = Readonly<{ dependencies: StageDependencies; count: () => SnapshotCount }>

/**
 * Returns the dependencies of one task. The task's clock is the block time of its last tick, so that it takes
 * as many snapshots as in a live service. The next tick is read only after the last snapshot is written. A
 * live service has two minutes to write a snapshot.
 */
export function paceByMarket(dependencies: StageDependencies): PacedTask {
  const { derivedCodec } = dependencies
  const { snapshotTurn, untilFree } = createTurn()
  const { log, count } = countSnapshots(dependencies.log)
  let atMs = 0
  // The tick is encoded right before the task checks whether a snapshot is due.
  const encode: typeof derivedCodec.encode = (type, data) => {
    if (type === 'Tick') atMs = (data as Tick).blockAtMs
    return derivedCodec.encode(type, data)
  }
  const read: Log['read'] = async (from, options) => {
    await untilFree()
    return log.read(from, { ...options, bytesMax: 1 })
  }
  const paced = { ...dependencies, snapshotTurn, nowMs: () => atMs, derivedCodec: { ...derivedCodec, encode } }
  return { dependencies: { ...paced, log: { ...log, read } }, count }
}

/** A turn whose end can be awaited. Polling it would be counted as CPU time of the snapshots. */
function createTurn() {
  let isTaken = false
  let end = () => {}
  let ended = Promise.resolve()
  const snapshotTurn = {
    get isTaken() {
      return isTaken
    },
    set isTaken(value: boolean) {
      isTaken = value
      end()
      if (value)
        ended = new Promise((resolve) => {
          end = resolve
        })
    },
  }
  return { snapshotTurn, untilFree: () => ended }
}

/** A log that counts its finished snapshots and their bytes. */
export function countSnapshots(log: Log): Readonly<{ log: Log; count: () => SnapshotCount }> {
  let [taken, bytes] = [0, 0]
  const openWriter: Log['openWriter'] = async (writerId, options) => {
    const writer = await log.openWriter(writerId, options)
    const append: typeof writer.append = async (records) => {
      await writer.append(records)
      for (const { topic, key, value } of records) {
        if (topic !== 'snapshots' || value === null) continue
        bytes += value.length
        if (key.endsWith('/manifest')) taken += 1
      }
    }
    return { ...writer, append }
  }
  return { log: { ...log, openWriter }, count: () => ({ taken, bytes }) }
}

/**
 * Lets each task write snapshots independently. In the service, one task at a time writes a snapshot and the
 * others wait. As in the service, the tasks share the index of the snapshots.
 */
export async function runWithOwnTurns(
  dependencies: StageDependencies,
  signal: AbortSignal,
  partitions = partitionsOf(dependencies.stage),
): Promise<void> {
  const snapshotIndex = createSnapshotIndex(dependencies.log)
  const tasks = partitions.map((partition) =>
    runStage({ ...dependencies, snapshotIndex, snapshotTurn: { isTaken: false } }, signal, [partition]),
  )
  await Promise.all(tasks)
}
