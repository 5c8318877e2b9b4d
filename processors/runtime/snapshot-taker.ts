/** Decides when a task stores its state, and writes it behind the task's back. */
import { toChunks } from './snapshot-bytes.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { type StageDependencies, stateVersionOf, taskName, topicsOf } from './task.ts'
import type { AnyWalk, WalkSnapshot } from './walk.ts'

const snapshotEveryMsDefault = 120_000

/** What the store is given to save. */
type Copy = Parameters<SnapshotStore['save']>

export class SnapshotTaker {
  readonly #dependencies: StageDependencies
  readonly #partition: number
  readonly #store: SnapshotStore
  readonly #turn: { isTaken: boolean }
  #takenAtMs: number
  #saving: Promise<void> | null = null

  constructor(dependencies: StageDependencies, partition: number, store: SnapshotStore) {
    this.#dependencies = dependencies
    this.#partition = partition
    this.#store = store
    this.#turn = dependencies.snapshotTurn ?? { isTaken: false }
    this.#takenAtMs = dependencies.nowMs()
  }

  /** Never while the one before is still being written, nor another task's. */
  isDue(): boolean {
    const { nowMs, snapshotEveryMs = snapshotEveryMsDefault } = this.#dependencies
    const isPaced = Number.isFinite(snapshotEveryMs) && nowMs() - this.#takenAtMs >= snapshotEveryMs
    return this.#saving === null && !this.#turn.isTaken && isPaced
  }

  /**
   * Right after a tick whose outputs are committed. Resolves when the state is copied; the writing goes on behind. Nothing is
   * taken where another task took the turn meanwhile: all see the same tick at once, and commit it first.
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
    // This task alone writes the partition: where it ends now, or behind, the next tick's records will stand.
    const { endOffset: derivedOffset } = await log.bounds(topicsOf(this.#dependencies).derivedTopic, this.#partition)
    const stateVersion = stateVersionOf(processors)
    return [
      { seq, blockNumber, factsOffset, derivedOffset, rulesVersion: stage.rulesVersion, stateVersion },
      await toChunks(snapshot),
    ]
  }

  /** Waits for the writing. */
  async settle(): Promise<void> {
    await this.#saving
  }

  /**
   * After a revert: what holds its blocks is of no use. Waits for the writing first. The next snapshot is due at once, so
   * that neither a start nor another revert folds so far again.
   */
  async forgetReverted(revert: Parameters<SnapshotStore['forgetReverted']>[0]): Promise<void> {
    await this.#saving
    this.#takenAtMs = Number.NEGATIVE_INFINITY
    try {
      await this.#store.forgetReverted(revert)
    } catch (error) {
      const { seq } = revert
      this.#dependencies.logger.warn(
        { task: taskName(this.#dependencies, this.#partition), seq, err: error },
        'snapshots were not let go',
      )
    }
  }

  /** A snapshot that could not be written costs a longer start, not the task. */
  async #save([fields, chunks]: Copy): Promise<void> {
    try {
      await this.#store.save(fields, chunks)
    } catch (error) {
      this.#dependencies.logger.warn(
        { task: taskName(this.#dependencies, this.#partition), seq: fields.seq, err: error },
        'a snapshot was not written',
      )
    } finally {
      this.#saving = null
      this.#turn.isTaken = false
    }
  }
}
