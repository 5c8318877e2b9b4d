import type { SnapshotStore } from '../snapshots/snapshot-store.ts'
import type { StageDependencies } from '../task.ts'

/** A tick that reports a reorg. */
export type RestatedTick = Readonly<{
  seq: number
  revertedFrom: number
  /** The offset of the tick in the facts partition. */
  offset: number
  /**
   * Whether an earlier run has already written this tick, and older facts are gone from the log. The
   * published records can then not be reproduced.
   */
  mayMissFacts: boolean
}>

/** The parts of a task (one partition of a stage) that are needed to handle a reorg. */
export type Task = Readonly<{
  dependencies: StageDependencies
  partition: number
  snapshots: SnapshotStore
  signal: AbortSignal
}>
