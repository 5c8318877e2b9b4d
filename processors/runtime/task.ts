/** What a task is made of: one partition of facts in, the same partition of derived out. */
import type { Logger } from 'pino'
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import type { Stage } from '../../schemas/stage.ts'
import type { AnyProcessor } from '../processor.ts'

export type StageDependencies = Readonly<{
  stage: Stage
  log: Log
  factCodec: SchemaCodec
  derivedCodec: SchemaCodec
  /** In flow order. */
  processors: readonly AnyProcessor[]
  /** Paces snapshots and measures speed; nothing of it reaches a record. */
  nowMs: () => number
  logger: Pick<Logger, 'info' | 'warn'>
  /** The least time between two snapshots of a task; 0 is one at each tick. Default 120 s. */
  snapshotEveryMs?: number
  /** Of the tasks of a thread: one at a time holds a copy of its state, and the others store theirs at a later tick. */
  snapshotTurn?: { isTaken: boolean }
  /** How many blocks a reorg may take back; a snapshot before them is kept. Default `reorgBlocksMaxDefault`. */
  reorgBlocksMax?: number
  onProgress?: (progress: TaskProgress) => void
}>

/** Where a task stands after a commit. Its lag is now minus `knownAtMs`. */
export type TaskProgress = Readonly<{
  partition: number
  seq: number
  knownAtMs: number
  blockAtMs: number
  factsPerSecond: number
  /** Folding again what was published before the start: nothing is written. */
  isFolding: boolean
  tokens: number
  timers: number
}>

/** The names of the stage's topics. */
export const topicsOf = ({ stage }: Pick<StageDependencies, 'stage'>) => ({
  factTopic: stage.factTopic.name,
  derivedTopic: stage.derivedTopic.name,
})

/** Names the task's writers and snapshots. */
export const taskName = ({ stage }: Pick<StageDependencies, 'stage'>, partition: number): string =>
  `${stage.name}-${partition}`

/** Which states a snapshot holds: a task only takes over one of the same processors. */
export const stateVersionOf = (processors: readonly AnyProcessor[]): string =>
  processors.map(({ name, stateVersion = 1 }) => `${name}@${stateVersion}`).join(' ')

/** True of a snapshot that this code took. */
export const fitsCode =
  ({ processors, stage }: Pick<StageDependencies, 'processors' | 'stage'>) =>
  (manifest: Readonly<{ rulesVersion: string; stateVersion: string }>): boolean =>
    manifest.rulesVersion === stage.rulesVersion && manifest.stateVersion === stateVersionOf(processors)
