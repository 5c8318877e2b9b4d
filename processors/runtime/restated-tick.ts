import type { SnapshotStore } from './snapshot-store.ts'
import type { StageDependencies } from './task.ts'

/** A tick that reverts the chain. */
export type RestatedTick = Readonly<{
  seq: number
  revertedFrom: number
  /** Where it stands among the facts. */
  offset: number
  /** It is published already, by a task that had facts which are gone now: no one holds the fold against it. */
  mayMissFacts: boolean
}>

/** The task that restates. */
export type RestateParts = Readonly<{
  dependencies: StageDependencies
  partition: number
  snapshots: SnapshotStore
  signal: AbortSignal
}>
