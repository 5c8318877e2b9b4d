/** Decides when a task writes a snapshot of its state, and writes the snapshot while the task continues. */

import type { EpochMs } from '../../../schemas/units.ts'
import { type StageDependencies, snapshotVersionOf, taskName, topicsOf } from '../task.ts'
import type { WalkSnapshot } from '../token-entry.ts'
import type { AnyWalk } from '../walk.ts'
import { toChunks } from './snapshot-bytes.ts'
import type { SnapshotStore } from './snapshot-store.ts'

const snapshotEveryMsDefault = 120_000

/**
 * A snapshot is due only if it has at most this many bytes per fact since the last snapshot. Writing 600
 * bytes takes about as long as processing one fact (`npm run bench -- stage`). So snapshots take at most a
 * sixth of the processing time.
 */
const bytesPerFactMax = 100

/**
 * After this number of `snapshotEveryMs` intervals, a snapshot is due even if there are few new facts.
 * Otherwise retention could remove the facts after the last snapshot.
 */
const intervalsMax = 30

/** The arguments of `save`: the fields of a manifest, and the state in chunks. */
type Copy = Parameters<SnapshotStore['save']>

const bytesOf = (chunks: readonly Buffer[]): number => chunks.reduce((sum, { length }) => sum + length, 0)

export class SnapshotTaker {
  readonly #dependencies: StageDependencies
  readonly #partition: number
  readonly #store: SnapshotStore
  readonly #turn: { isTaken: boolean }
  #takenAtMs: EpochMs
  /**
   * The last snapshot that this run wrote. Null if there is none yet. The first snapshot is due even if there
   * are few facts.
   */
  #last: Readonly<{ factsOffset: number; bytes: number }> | null = null
  #saving: Promise<void> | null = null

  constructor(dependencies: StageDependencies, partition: number, store: SnapshotStore) {
    this.#dependencies = dependencies
    this.#partition = partition
    this.#store = store
    this.#turn = dependencies.snapshotTurn ?? { isTaken: false }
    this.#takenAtMs = dependencies.nowMs()
  }

  /**
   * Returns whether to take a snapshot now. `factsOffset` is the offset after the last tick. Returns false
   * while a snapshot of any task of this thread is being written.
   */
  isDue(factsOffset: number): boolean {
    const { nowMs, snapshotEveryMs = snapshotEveryMsDefault } = this.#dependencies
    const sinceMs = nowMs() - this.#takenAtMs
    if (this.#saving !== null || this.#turn.isTaken || !Number.isFinite(snapshotEveryMs)) return false
    if (sinceMs < snapshotEveryMs) return false
    return sinceMs >= intervalsMax * snapshotEveryMs || this.#isWorthIt(factsOffset)
  }

  #isWorthIt(factsOffset: number): boolean {
    const last = this.#last
    return last === null || (factsOffset - last.factsOffset) * bytesPerFactMax >= last.bytes
  }

  /**
   * Copies the state and resolves. The copy is then written in the background. Call this function right after
   * the commit of a tick. Does nothing if another task of this thread began a snapshot after `isDue`.
   */
  async take(walk: AnyWalk, factsOffset: number): Promise<void> {
    if (this.#turn.isTaken) return
    const snapshot = walk.snapshot()
    if (snapshot === null) return
    this.#takenAtMs = this.#dependencies.nowMs()
    this.#turn.isTaken = true
    try {
      this.#saving = this.#save(await this.#copy(snapshot, factsOffset))
    } catch (error) {
      this.#turn.isTaken = false
      throw error
    }
  }

  async #copy(snapshot: WalkSnapshot, factsOffset: number): Promise<Copy> {
    const { log, processors, stage } = this.#dependencies
    const { seq, blockNumber } = snapshot.lastTick
    // Only this task writes to its derived partition. So the records of the next tick begin at the current
    // end offset or later.
    const { endOffset: derivedOffset } = await log.bounds(topicsOf(this.#dependencies).derivedTopic, this.#partition)
    const stateVersion = snapshotVersionOf(processors)
    return [
      { seq, blockNumber, factsOffset, derivedOffset, rulesVersion: stage.rulesVersion, stateVersion },
      await toChunks(snapshot),
    ]
  }

  /** Waits until the current write of a snapshot is finished. */
  async settle(): Promise<void> {
    await this.#saving
  }

  /**
   * Waits for a pending write, then drops the snapshots that a reorg invalidated. A new snapshot is then due
   * at once. Until the new snapshot is written, a restart or reorg begins at an older snapshot.
   */
  async dropReorged(reorg: Parameters<SnapshotStore['dropReorged']>[0]): Promise<void> {
    await this.#saving
    this.#takenAtMs = Number.NEGATIVE_INFINITY
    try {
      await this.#store.dropReorged(reorg)
    } catch (error) {
      const { seq } = reorg
      this.#dependencies.logger.warn(
        { task: taskName(this.#dependencies, this.#partition), seq, err: error },
        'snapshots of the abandoned branch could not be dropped. Results stay correct, but the next start may take longer',
      )
    }
  }

  /** A failed write does not stop the task. Only the next start takes longer. */
  async #save([fields, chunks]: Copy): Promise<void> {
    try {
      await this.#store.save(fields, chunks)
      this.#last = { factsOffset: fields.factsOffset, bytes: bytesOf(chunks) }
    } catch (error) {
      this.#dependencies.logger.warn(
        { task: taskName(this.#dependencies, this.#partition), seq: fields.seq, err: error },
        'a snapshot could not be written. Results stay correct, but the next start may take longer',
      )
    } finally {
      this.#saving = null
      this.#turn.isTaken = false
    }
  }
}
