import type { SnapshotStore } from '../snapshots/snapshot-store.ts'
import type { StageDependencies } from '../task.ts'

/** A tick that reports a reorg. */
export type RestatedTick = Readonly<{
  seq: number
  revertedFrom: number
  /** Its offset in the facts partition. */
  offset: number
  /** True if the tick is published already and the result is not compared with it, because older facts are gone. */
  mayMissFacts: boolean
}>

/** What a restatement needs of its task. */
export type RestateParts = Readonly<{
  dependencies: StageDependencies
  partition: number
  snapshots: SnapshotStore
  signal: AbortSignal
}>
