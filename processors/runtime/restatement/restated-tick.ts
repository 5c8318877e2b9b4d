import type { SnapshotStore } from '../snapshots/snapshot-store.ts'
import type { StageDependencies } from '../task.ts'

/** A tick that reports a reorg. */
export type RestatedTick = Readonly<{
  seq: number
  revertedFrom: number
  /** Its offset in the facts partition. */
  offset: number
  /** True if the tick was published before and is not compared again, because older facts are gone. */
  mayMissFacts: boolean
}>

/** The task of a task that a restatement needs. */
export type Task = Readonly<{
  dependencies: StageDependencies
  partition: number
  snapshots: SnapshotStore
  signal: AbortSignal
}>
