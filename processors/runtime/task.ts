/**
 * A task is the work of a stage on one partition. The task reads the facts of the partition and writes
 * derived records to the derived partition with the same number.
 */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { Stage } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import type { AnyProcessor } from '../processor.ts'
import type { SnapshotIndex } from './snapshots/snapshot-index.ts'

export type StageDependencies = Readonly<{
  stage: Stage
  log: Log
  factCodec: SchemaCodec
  derivedCodec: SchemaCodec
  /** The processors in flow order. */
  processors: readonly AnyProcessor[]
  /**
   * The wall clock, used to decide when a snapshot is due and to measure speed. No record depends on this
   * clock.
   */
  nowMs: () => EpochMs
  logger: Pick<Logger, 'info' | 'warn'>
  /**
   * The minimum time between two snapshots of a task, in ms. If there are few new facts, the time is up to 30
   * times as long. With 0, the task takes a snapshot at each tick. Default: 120 s.
   */
  snapshotEveryMs?: DurationMs
  /**
   * One object for all tasks of a thread, so that only one task at a time takes a snapshot. The other tasks
   * take their snapshots at a later tick.
   */
  snapshotTurn?: { isTaken: boolean }
  /** One index for all tasks of a thread, so that a start reads the index only once. Default: one for each task. */
  snapshotIndex?: SnapshotIndex
  /**
   * The depth of the deepest supported reorg, in blocks. The task keeps a snapshot that is old enough for
   * such a reorg. Default `reorgBlocksMaxDefault`.
   */
  reorgBlocksMax?: number
  onProgress?: (progress: TaskProgress) => void
}>

/** The progress of a task after a commit. The lag of the task is the time from `knownAtMs` to now. */
export type TaskProgress = Readonly<{
  partition: number
  seq: number
  knownAtMs: EpochMs
  blockAtMs: EpochMs
  factsPerSecond: number
  /** The number of records that the task has read since its start. */
  records: number
  /**
   * True while the task processes facts again whose outputs an earlier run published. The task then writes
   * nothing.
   */
  isFolding: boolean
  tokens: number
  timers: number
}>

export const topicsOf = ({ stage }: Pick<StageDependencies, 'stage'>) => ({
  factTopic: stage.factTopic.name,
  derivedTopic: stage.derivedTopic.name,
})

/** A stage copies each tick of the fact topic to its derived topic. Returns the rules version of that copy. */
export const versionOf = ({ stage }: Pick<StageDependencies, 'stage'>, tick: Pick<Tick, 'rulesVersion'>): string =>
  stage.hasOtherRules ? stage.rulesVersion : tick.rulesVersion

/** The name of a task, used in writer ids and snapshot keys. */
export const taskName = ({ stage }: Pick<StageDependencies, 'stage'>, partition: number): string =>
  `${stage.name}-${partition}`

/**
 * Returns a text with the names and state versions of the processors. A task restores only snapshots that
 * have the same text.
 */
export const stateVersionOf = (processors: readonly AnyProcessor[]): string =>
  processors.map(({ name, stateVersion = 1 }) => `${name}@${stateVersion}`).join(' ')

/**
 * Returns the state version of the snapshots that this code writes. The suffix keeps older versions of the service from
 * restoring them.
 */
export const snapshotVersionOf = (processors: readonly AnyProcessor[]): string =>
  `${stateVersionOf(processors)} serialized@4`

/**
 * The state versions of the snapshots that this code can read: with groups as bytes, with a string per few tokens and with
 * lists that several states share, with a string per few tokens, with a string per token, and with the states alone.
 */
const readableVersionsOf = (processors: readonly AnyProcessor[]): readonly string[] => [
  snapshotVersionOf(processors),
  `${stateVersionOf(processors)} serialized@3`,
  `${stateVersionOf(processors)} serialized@2`,
  `${stateVersionOf(processors)} serialized@1`,
  stateVersionOf(processors),
]

/** Returns whether this code can restore the snapshot. */
export const fitsCode =
  ({ processors, stage }: Pick<StageDependencies, 'processors' | 'stage'>) =>
  (manifest: Readonly<{ rulesVersion: string; stateVersion: string }>): boolean =>
    manifest.rulesVersion === stage.rulesVersion && readableVersionsOf(processors).includes(manifest.stateVersion)
