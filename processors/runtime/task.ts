/** What a task is made of: one partition of facts in, the same partition of derived out. */
import type { Logger } from 'pino'
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import type { ChainADerivedRecord } from '../../schemas/chain-a/derived.ts'
import type { ChainARecord } from '../../schemas/chain-a/facts.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { Processor } from '../processor.ts'

/** Where a stage stands on the log. */
export type Stage = Readonly<{
  /** Its tasks' writers and snapshots are named after it. */
  name: string
  factTopic: TopicName
  derivedTopic: TopicName
}>

const chainAStage: Stage = { name: 'chain-a', factTopic: 'chain-a-facts', derivedTopic: 'chain-a-derived' }

export type StageDependencies = Readonly<{
  /** Default: that of chain A. */
  stage?: Stage
  log: Log
  factCodec: SchemaCodec<ChainARecord>
  derivedCodec: SchemaCodec<ChainADerivedRecord>
  /** In flow order. */
  processors: readonly Processor[]
  /** That of this code: what was published under another one is not held against it. */
  rulesVersion: string
  /** Paces snapshots and measures speed; nothing of it reaches a record. */
  nowMs: () => number
  logger: Pick<Logger, 'info' | 'warn'>
  /** The least time between two snapshots of a task; 0 is one at each tick. Default 120 s. */
  snapshotEveryMs?: number
  /** Of the tasks of a thread: one at a time holds a copy of its state, and the others store theirs at a later tick. */
  snapshotTurn?: { isTaken: boolean }
  /** How many blocks a revert may take back; a snapshot before them is kept. Default 1200. */
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

type OfStage = Pick<StageDependencies, 'stage'>

export const stageOf = ({ stage = chainAStage }: OfStage): Stage => stage

export const taskName = (dependencies: OfStage, partition: number): string =>
  `${stageOf(dependencies).name}-${partition}`

/** Which states a snapshot holds: a task only takes over one of the same processors. */
export const stateVersionOf = (processors: readonly Processor[]): string =>
  processors.map(({ name, stateVersion = 1 }) => `${name}@${stateVersion}`).join(' ')

/** True of a snapshot that this code took. */
export const fitsCode =
  ({ processors, rulesVersion }: Pick<StageDependencies, 'processors' | 'rulesVersion'>) =>
  (manifest: Readonly<{ rulesVersion: string; stateVersion: string }>): boolean =>
    manifest.rulesVersion === rulesVersion && manifest.stateVersion === stateVersionOf(processors)
